"""Precision losses that torch accepts: one file per kind, found by discovery.

A file here has `OPS`, the ops that it looks at, by the names of their schemas without the underscore of those that work
in place (empty: all that give floating-point numbers), and `find(seen) -> Lost | None`, which is asked after such an op
ran. `WIDENS = True`: it looks at results of float32 and float64, else only where a half dtype or integers take part.
`PLAIN = True`: dtypes, constants and known numbers are enough for it, so every check asks it; the others are asked
where ranges are followed (`--numerics`). It says something only of what is known: numbers, or what their moments say of
the typical range.
"""
