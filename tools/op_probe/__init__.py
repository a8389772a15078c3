"""Asks real torch what it does with dtypes and devices, and writes it down as tables."""
