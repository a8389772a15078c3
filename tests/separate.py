"""Runs a program with packages that only these tests see: `make test` puts them into a folder of their own.

Other libraries look for trackers and for Lightning, and take them where they find them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from command import SOURCE

FOLDER = Path(sys.prefix) / "integrations"
needed = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no {FOLDER}: `make test` installs it")


def run_separately(folder, source, **environment):
    """The program's output."""
    (folder / "program.py").write_text(textwrap.dedent(source))
    env = os.environ | {"PYTHONPATH": os.pathsep.join([SOURCE, str(FOLDER)]), **environment}
    ran = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=240
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
