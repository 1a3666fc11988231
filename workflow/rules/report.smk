# The rows of this configuration, and no others that may lie beside them. Each table or figure has
# one label: from a second label with two values, Snakemake's page makes a switch, and then breaks.
rule report:
    input:
        rows=all_rows(),
    output:
        tables=report(
            directory(f"{OUT}/tables"),
            patterns=["{code,[A-Z][0-9]+[a-z]?}_{name}.html"],
            caption="../report/shown.rst",
            category="Tables",
            labels={"table": "{code} {name}"},
        ),
        figures=report(
            directory(f"{OUT}/figures"),
            patterns=["{code,[A-Z][0-9]+[a-z]?}_{name}.svg"],
            caption="../report/shown.rst",
            category="Figures",
            labels={"figure": "{code} {name}"},
        ),
        page=report(
            f"{OUT}/index.html",
            caption="../report/page.rst",
            category="Page",
            labels={"page": "claims, figures, all rows"},
        ),
    log:
        f"{OUT}/logs/report.log",
    conda:
        "../envs/acrobat.yml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        python=tied,
        out=folder_of_tables,
        sources=files_hash(
            [
                *(ROOT / "plots").rglob("*.py"),
                *(ROOT / "plots").glob("*.jinja"),
                ROOT / "config" / "paper_claims.yaml",
            ]
        ),
        about=about(),
    shell:
        "{params.python} acrobat.cli report --rows {input.rows:q} --out {params.out:q}"
        " > {log} 2>&1"
