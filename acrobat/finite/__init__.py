"""`Options.check_finite`: finds where a result's NaN or infinity came from."""
