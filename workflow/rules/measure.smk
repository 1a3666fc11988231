rule build_native:
    output:
        # Records whether the build succeeded; the next run retries a failed build.
        tried=f"{OUT}/{{system}}.tried",
    log:
        f"{OUT}/logs/{{system}}.log",
    wildcard_constraints:
        system="[^/]+",
    conda:
        "../envs/acrobat.yml"
    threads: whole_machine
    resources:
        gpu=int(DEVICE == "cuda"),
        mem_mb=4000,
        runtime=60,
    params:
        python=tied,
        command=build_command,
    message:
        "building {wildcards.system} natively, minutes unless it is there"
    shell:
        "if {params.python} {params.command} --jobs {threads} > {log} 2>&1;"
        " then echo built; else echo not built; fi > {output.tried}"


# One job measures one cell with all its systems, which alternate; no two jobs run at once. A job is
# repeated only if the cell's own settings or the sources of its systems have changed.
rule measure:
    input:
        native=ancient(native_builds),
    output:
        rows=directory(
            f"{OUT}/raw/{{device}}/{{workload}}/{{size}}/bs{{batch}}.t{{threads}}{{mode}}"
        ),
    log:
        f"{OUT}/logs/{{device}}/{{workload}}/{{size}}/bs{{batch}}.t{{threads}}{{mode}}.log",
    wildcard_constraints:
        device="cpu|cuda",
        workload="[^/]+",
        size="[^/]+",
        batch="[0-9]+",
        threads="[0-9]+|all",
        # The suffix of training steps.
        mode=r"(\.train(-adam)?)?",
    conda:
        "../envs/acrobat.yml"
    threads: whole_machine
    resources:
        bench=1,
        gpu=int(DEVICE == "cuda"),
        mem_mb=16000,
        runtime=minutes,
    params:
        python=tied,
        out=raw_folder,
        cell=settings,
        sources=sources,
    shell:
        "{params.python} acrobat.cli bench --cell {params.cell:q} --out {params.out:q}"
        " > {log} 2>&1"
