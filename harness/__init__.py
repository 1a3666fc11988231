"""Measuring: systems in rounds, each in its own process, one JSON row per point."""
