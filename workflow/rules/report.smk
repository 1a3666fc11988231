# The files that `snakemake --report` shows.
SHOWN = [
    table("T3_dynet")[0],
    table("T4_cortex")[0],
    table("T5_pytorch")[0],
    figure("F1_speedup")[1],
    *(figure("F3_batches")[1:2] if CURVES else []),
]


rule report:
    input:
        rows=all_rows(),
    output:
        tables=[
            report(
                table("T3_dynet")[0],
                caption="../report/T3.rst",
                category="Tables",
                labels={"code": "T3", "against": "DyNet"},
            ),
            report(
                table("T4_cortex")[0],
                caption="../report/T4.rst",
                category="Tables",
                labels={"code": "T4", "against": "Cortex-like"},
            ),
            report(
                table("T5_pytorch")[0],
                caption="../report/T5.rst",
                category="Tables",
                labels={"code": "T5", "against": "PyTorch"},
            ),
        ],
        figure=report(
            figure("F1_speedup")[1],
            caption="../report/F1.rst",
            category="Figures",
            labels={"code": "F1", "against": "all"},
        ),
        curves=report(
            figure("F3_batches")[1:2] if CURVES else [],
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
