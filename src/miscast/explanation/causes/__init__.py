"""The causes, one file per category of errors: data only, found by discovery (`cause.py`)."""
