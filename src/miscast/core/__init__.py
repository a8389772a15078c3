"""Data types, files and facts that need no torch: dtypes, events, findings, machines, ops."""
