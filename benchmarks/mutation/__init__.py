"""Mutants: sources with one change each, and whether the tests notice."""
