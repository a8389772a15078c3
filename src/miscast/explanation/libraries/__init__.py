"""What each library calls its precision settings: one file per kind of library, data only (`library.py`)."""
