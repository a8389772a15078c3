"""Faults for correct programs: where one can be made, whether it is one, and what `check` and `fix` make of it."""
