"""`user_folder`, which prepares a folder and compares it, is importable from these tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
