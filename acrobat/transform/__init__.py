"""The passes, one per file: functions from module to module. `pipeline.py` defines their order."""
