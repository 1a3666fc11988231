# The rows of this configuration, and no others that may lie beside them.
rule report:
    input:
        rows=all_rows(),
    output:
        tables=report(
            directory(f"{OUT}/tables"),
            patterns=["{code}_{name}.html"],
            caption="../report/shown.rst",
            category="Tables",
            labels={"code": "{code}", "shows": "{name}"},
        ),
        figures=report(
            directory(f"{OUT}/figures"),
            patterns=["{code}_{name}.svg"],
            caption="../report/shown.rst",
            category="Figures",
            labels={"code": "{code}", "shows": "{name}"},
        ),
    log:
        f"{OUT}/logs/report.log",
    conda:
        "../envs/acrobat.yml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        python=derived,
        out=folder_of_tables,
        sources=files_hash((ROOT / "plots").glob("*.py")),
    shell:
        "{params.python} -m acrobat.cli report --rows {input.rows:q} --out {params.out:q}"
        " > {log} 2>&1"
