"""What a kernel computes, apart from how it is printed: specifications and their meaning."""
