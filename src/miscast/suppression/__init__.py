"""Suppress findings: comments in the program, the project's settings, and a baseline of known ones.

    files → comments ─┐
    pyproject.toml ───┼─ accounted ─► a report of what is left, with one line on the rest
    a baseline ───────┘

Nothing vanishes: what is suppressed is counted, with its reason, and so is a comment that suppresses nothing.
"""
