"""Propagate value ranges through ops: one file per family, found by discovery.

A file here has `RULES`, from the name of an op's schema to a function of the call that gives the moments of its result,
or None where they cannot be told. An op without a rule makes its result unknown. Each is held against real torch by
`tests/numerics/test_spreads.py`: the moments of a real result lie within those that its rule gives.
"""
