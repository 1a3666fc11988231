"""What a kernel computes, independent of how it is printed: specifications and their meaning."""
