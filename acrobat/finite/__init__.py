"""`Options.check_finite`: where a result's NaN or infinity came from."""
