"""One call made by real torch, by fake tensors and by `check`, and what to think of it: the parts of `fidelity.py`."""
