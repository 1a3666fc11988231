rule config_file:
    output:
        f"{OUT}/config.json",
    log:
        f"{OUT}/logs/config.log",
    localrule: True
    params:
        text=json.dumps(dict(config), indent=1, sort_keys=True),
    run:
        Path(output[0]).write_text(params.text)
        Path(log[0]).write_text("written\n")


rule build_dynet:
    output:
        touch(f"{OUT}/dynet.tried"),
    log:
        f"{OUT}/logs/dynet.log",
    conda:
        "../../env.yml"
    threads: workflow.cores
    params:
        python=sys.executable,
    message:
        "building DyNet natively, about 3.5 minutes on two cores unless it is there"
    shell:
        "{params.python} -m baselines.dynet.build --jobs {threads} > {log} 2>&1"
        " || echo 'not built' >> {log}"


# One job measures one cell with all its systems, which take turns; never two at once.
rule measure_cell:
    input:
        config=f"{OUT}/config.json",
        sources=SOURCES,
        native=f"{OUT}/dynet.tried" if NATIVE else [],
    output:
        ROW_PATTERNS,
    log:
        f"{OUT}/logs/{{device}}.{{workload}}.{{size}}.bs{{batch}}.t{{threads}}.log",
    conda:
        "../../env.yml"
    threads: lambda wildcards: int(wildcards.threads)
    resources:
        bench=1,
    params:
        python=sys.executable,
        out=lambda wildcards: OUT,
    message:
        "measuring {wildcards.workload}/{wildcards.size}/bs{wildcards.batch}.t{wildcards.threads}"
    shell:
        "{params.python} -m acrobat.cli bench --config {input.config} --out {params.out}"
        " --only {wildcards.workload}/{wildcards.size}/bs{wildcards.batch}.t{wildcards.threads}"
        " > {log} 2>&1"
