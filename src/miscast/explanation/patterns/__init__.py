"""The messages, one file per family: data only, found by discovery (`pattern.py`)."""
