rule report:
    input:
        rows=all_rows(),
    output:
        tables=[
            report(
                shown("T3_dynet"),
                caption="../report/T3.rst",
                category="Tables",
                labels={"code": "T3", "against": "DyNet"},
            ),
            report(
                shown("T4_cortex"),
                caption="../report/T4.rst",
                category="Tables",
                labels={"code": "T4", "against": "Cortex-like"},
            ),
            report(
                shown("T5_pytorch"),
                caption="../report/T5.rst",
                category="Tables",
                labels={"code": "T5", "against": "PyTorch"},
            ),
        ],
        figure=report(
            shown("F1_speedup"),
            caption="../report/F1.rst",
            category="Figures",
            labels={"code": "F1", "against": "all"},
        ),
        curves=report(
            shown("F3_batches"),
            caption="../report/F3.rst",
            category="Figures",
            labels={"code": "F3", "against": "batch sizes"},
        ),
        rest=[path for path in REPORT if path not in SHOWN],
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
