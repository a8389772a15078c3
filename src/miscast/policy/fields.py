"""The names of a policy's fields, and the error for what they cannot hold: what every part of a policy knows."""

DTYPES = (
    "param_dtype", "compute_dtype", "output_dtype", "reduce_dtype", "buffer_dtype",
)  # fmt: skip
"""The fields that hold a dtype."""
CLASS = "class:"
"""The prefix of a pattern that names a class, not a path."""


class PolicyError(ValueError):
    """A policy cannot be read or cannot be kept. The message says why, in one line."""
