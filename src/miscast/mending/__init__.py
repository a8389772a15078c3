"""From findings to proven fixes."""
