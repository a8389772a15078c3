"""Names of each library's precision settings: one file per kind of library, data only (`library.py`)."""
