"""The sandbox of a checked program. Effects outside of the program's memory do not happen."""
