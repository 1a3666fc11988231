"""Running a compiled program: C++ headers under include/, and their Python side."""
