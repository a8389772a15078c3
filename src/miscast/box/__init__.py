"""Where a checked program runs: nothing that it does outside of its own memory happens."""
