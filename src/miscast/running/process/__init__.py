"""Changes of a run to its own process, each of which is restored."""
