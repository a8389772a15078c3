"""Find verified changes that fix a program's findings: `miscast fix`.

    mending = mend(Job(target="train.py", args=(), machine="v100", strict=False, batches=2))
    mending.fixes[0].title         # pass dtype=latent.dtype to `ones` at train.py:12
    mending.after.findings         # ()
    mending.diff()                 # --- a/train.py …

For each finding `strategies/` propose changes at the places that matter (`edit_site`, `proposing`). Each run of the
program, in a fork (`trials`, `worker`), tries one for each finding (`search`, `merging`), is judged by what the check
then says (`verdict`, `spoiling`), and the best of those that mend one (`candidates`) is kept. What they had hidden is
mended on top of them.
"""

from __future__ import annotations

from ..trials.job import Job
from .advice import advised
from .mend import Fixed, Listener, Mending, Unfixed, mend

__all__ = ["Fixed", "Job", "Listener", "Mending", "Unfixed", "advised", "mend"]
