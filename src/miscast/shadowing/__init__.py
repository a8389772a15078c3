"""A real run with a shadow in float64 beside it: which op loses digits, where, and how much of it reaches the loss.

`mode` runs each op twice, `record` keeps the float64 numbers beside each tensor's memory, `losses/` has one file per
kind of loss, `session` joins them.
"""
