"""The building blocks of single passes."""
