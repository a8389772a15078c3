"""One call made by real torch, by fake tensors and by `check`, and what to think of it: the parts of `fidelity.py`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
