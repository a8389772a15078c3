"""What a run changes of its own process, and how each of it is put back as it was."""
