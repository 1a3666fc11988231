"""The passes, one per file: functions from a module to a module. `pipeline.py` has their order."""
