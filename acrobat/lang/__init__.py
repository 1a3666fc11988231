"""What a model author imports. Everything here runs as plain Python on one instance."""
