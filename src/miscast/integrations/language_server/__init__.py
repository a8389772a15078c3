"""Miscast in editors, by the Language Server Protocol: what `lint` finds while somebody types, and who decides.

`judging` reads a folder as it stands in the editor, `diagnostics` and `hover` make the protocol's values of that,
`server` listens. `kept` has the findings of the last `check`.
"""
