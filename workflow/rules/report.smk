rule report:
    input:
        rows=all_rows(),
    output:
        tables=[
            report(
                f"{OUT}/tables/T3_dynet.csv",
                caption="../report/T3.rst",
                category="Tables",
                labels={"code": "T3", "against": "DyNet"},
            ),
            report(
                f"{OUT}/tables/T4_cortex.csv",
                caption="../report/T4.rst",
                category="Tables",
                labels={"code": "T4", "against": "Cortex-like"},
            ),
            report(
                f"{OUT}/tables/T5_pytorch.csv",
                caption="../report/T5.rst",
                category="Tables",
                labels={"code": "T5", "against": "PyTorch"},
            ),
        ],
        figure=report(
            f"{OUT}/figures/F1_speedup.svg",
            caption="../report/F1.rst",
            category="Figures",
            labels={"code": "F1", "against": "all"},
        ),
        rest=[
            path
            for path in REPORT
            if not path.endswith(
                ("T3_dynet.csv", "T4_cortex.csv", "T5_pytorch.csv", "F1_speedup.svg")
            )
        ],
    log:
        f"{OUT}/logs/report.log",
    conda:
        "../../env.yml"
    params:
        python=sys.executable,
        out=lambda wildcards: OUT,
    shell:
        "{params.python} -m acrobat.cli report --rows {params.out}/raw --out {params.out}"
        " > {log} 2>&1"
