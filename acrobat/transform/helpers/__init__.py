"""Building blocks of individual passes."""
