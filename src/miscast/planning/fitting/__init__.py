"""A candidate put on a program that knows nothing of it, and what the run shows: its peak, its work, its error.

`candidate` says what is tried, `components` puts it on the program's models as they are first called, `virtual` and
`real` are the two kinds of run. `stepping` has another optimizer step in the place of the program's (`eight_bit`,
`host_states`), `sharding` puts its models over ranks.
"""
