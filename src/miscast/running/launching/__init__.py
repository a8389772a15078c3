"""The program itself, as Python or a launcher would start it. No torch."""
