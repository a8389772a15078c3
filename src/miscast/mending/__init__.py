"""From the findings of a program to changes of it that are proven: `miscast fix`.

    mending = mend(Job(target="train.py", args=(), machine="v100", strict=False, batches=2))
    mending.fixes[0].title         # give `ones` dtype=latent.dtype, at train.py:12
    mending.after.findings         # ()
    mending.diff()                 # --- a/train.py …

Findings are taken one by one, in the order in which the run met them. For each, `ways/` propose changes at the places
that matter (`spot`), every one is tried on the virtual machine in a fork (`trials`, `worker`), judged by what the
check then says (`verdict`), and the best of those that mend it (`search`) is what the next finding is mended on top of.
"""

from __future__ import annotations

from .mend import Fixed, Mending, Unfixed, mend
from .worker import Job

__all__ = ["Fixed", "Job", "Mending", "Unfixed", "mend"]
