"""The precision policy of a program as one value, and the means to enforce it.

    >>> policy = miscast.Policy.parse("bf16-true")
    >>> handle = miscast.apply(pipeline, policy, device="cuda")
    >>> batch = miscast.cast(batch, like=pipeline.unet)

The value is data and needs no torch; what touches modules and tensors imports it when it is called.
"""

from .application import apply
from .cast import cast
from .expect import MismatchError, expect
from .export import Export, Lost
from .fields import PolicyError
from .policy import Policy

__all__ = [
    "Export", "Lost", "MismatchError", "Policy", "PolicyError", "apply", "cast", "expect",
]  # fmt: skip
