"""Programs in files, run by `python` and by `miscast run`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import miscast

ENV = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1]), "PYTHONWARNINGS": "ignore"}


def python(folder, *args):
    return _ran(folder, sys.executable, *args)


def miscast_run(folder, *args):
    """As the console script does it: a `python` that runs a file."""
    starter = folder / "start_miscast.py"
    starter.write_text("import sys\nfrom miscast.cli import main\nsys.exit(main())\n", encoding="utf-8")
    return _ran(folder, sys.executable, starter, "run", *args)


def explanations(folder, *args) -> list[dict[str, Any]]:
    """What is told of a program's death, as data; nothing where no file is written."""
    output = folder / "explanation.json"
    ran = miscast_run(folder, "--format", "json", "--output", output, *args)
    assert ran.returncode != 2, ran.stderr
    if not output.exists():
        return []
    found: list[dict[str, Any]] = json.loads(output.read_text(encoding="utf-8"))["explanations"]
    return found


def _ran(folder, *command):
    return subprocess.run(
        [str(part) for part in command], cwd=folder, env=ENV, capture_output=True, text=True, check=False, timeout=120
    )
