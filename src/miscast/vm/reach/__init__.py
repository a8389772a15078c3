"""Branches of the program's own code that a run took or left, and the findings on those left."""
