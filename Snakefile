# Snakemake merges configurations; a measurement is described by one file alone.
if "measure" not in config:

    configfile: "config/quick.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/report.smk"


onstart:
    points = sum(len(cell.systems) for cell in CELLS.values())
    minutes = sum(map(estimate_s, CELLS.values())) / 60
    print(
        f"{points} points in {len(CELLS)} cells, about {minutes:.0f} min from nothing",
        file=sys.stderr,
    )


rule all:
    default_target: True
    input:
        REPORT,
    localrule: True
