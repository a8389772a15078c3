"""Numbers that torch loses without a word: what each op is given and makes, as far as it is known without running it.

The virtual machine tells `Numerics` of every op. It looks at the dtypes and constants of the call, at the numbers of
small tensors, which are known, and, where it is asked to, at what is known of all others: bounds, mean and size, handed
on by the rules of `spreads/`. What `losses/` finds becomes a call of the trace with a violation of kind "lossy", which
the rules of that name judge.
"""

from .watch import Numerics

__all__ = ["Numerics"]
