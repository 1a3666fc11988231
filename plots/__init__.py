"""Tables and figures: pure functions of the measured rows."""
