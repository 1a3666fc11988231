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
        device=dynet_device(),
    message:
        "building DyNet natively, about 3.5 minutes on two cores unless it is there"
    shell:
        "{params.python} -m baselines.dynet.build --jobs {threads} {params.device} > {log} 2>&1"
        " || echo 'not built' >> {log}"


# One job measures one cell with all its systems, which take turns; never two at once. A rule for
# each cell: which systems are measured may differ between cells.
for key, cell in CELLS.items():

    rule:
        name:
            f"measure_{name_of(cell)}"
        input:
            config=f"{OUT}/config.json",
            sources=SOURCES,
            native=f"{OUT}/dynet.tried" if NATIVE else [],
        output:
            rows_of(cell),
        log:
            f"{OUT}/logs/{cell.device}.{name_of(cell)}.log",
        conda:
            "../../env.yml"
        threads: cell.threads
        resources:
            bench=1,
        params:
            python=sys.executable,
            out=lambda wildcards: OUT,
            key=key,
        message:
            "measuring {params.key}"
        shell:
            "{params.python} -m acrobat.cli bench --config {input.config} --out {params.out}"
            " --only {params.key} > {log} 2>&1"
