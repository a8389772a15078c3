"""Programs in files, run by `python` and by `miscast run`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import warm
from command import SOURCE

ENV = os.environ | {"PYTHONPATH": SOURCE, "PYTHONWARNINGS": "ignore"}


def python(folder, *args, cold=False):
    """`cold`: in a new interpreter, where that is what is tested."""
    if not cold:
        return warm.python(*args, folder=folder, environment=ENV, timeout=120)
    command = [sys.executable, *map(str, args)]
    return subprocess.run(command, cwd=folder, env=ENV, capture_output=True, text=True, check=False, timeout=120)


def miscast_run(folder, *args, cold=False):
    """As the console script does it: a `python` that runs a file."""
    starter = folder / "start_miscast.py"
    starter.write_text("import sys\nfrom miscast.cli import main\nsys.exit(main())\n", encoding="utf-8")
    return python(folder, starter, "run", *args, cold=cold)


def explanations(folder, *args) -> list[dict[str, Any]]:
    """What is told of a program's death, as data; nothing where no file is written."""
    output = folder / "explanation.json"
    ran = miscast_run(folder, "--format", "json", "--output", output, *args)
    assert ran.returncode != 2, ran.stderr
    if not output.exists():
        return []
    found: list[dict[str, Any]] = json.loads(output.read_text(encoding="utf-8"))["explanations"]
    return found
