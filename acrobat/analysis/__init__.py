"""Facts about a module, computed and never stored in it."""
