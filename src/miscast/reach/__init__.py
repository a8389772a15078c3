"""Which ways of the program's own code a run took, which it left, and what lies on those once they are taken."""
