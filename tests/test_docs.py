"""The pages that come from the code are up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_generated_pages_are_up_to_date():
    command = [sys.executable, ROOT / "docs" / "generate.py", "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, f"run `make docs`: {ran.stdout}{ran.stderr}"
