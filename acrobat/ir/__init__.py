"""The two intermediate representations: typed (what the author wrote) and batched (what runs)."""
