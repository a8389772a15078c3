"""What a GPU says: `python benchmarks/gpu/measure.py FOLDER` writes DEVICE-TORCH.jsonl, a line for each program.

Programs run one after another, each in a process of its own. The first line says what they ran on.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from libraries import installed

from programs import PROGRAMS

HERE = Path(__file__).parent
PATIENCE = 90.0


def head() -> dict[str, Any]:
    """Device and versions."""
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": properties.name, "memory": properties.total_memory, "python": platform.python_version(),
        **dict(installed()), "torch": torch.__version__,
    }  # fmt: skip


def measured(name: str) -> dict[str, Any]:
    """What a program printed, or its error's last line."""
    command = [sys.executable, str(HERE / "programs.py"), name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return {"name": name, "error": f"not done after {PATIENCE:g} s"}
    if done.returncode:
        return {"name": name, "error": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main(folder: str) -> int:
    """Measure all; 2 without a GPU."""
    if not torch.cuda.is_available():
        print("no CUDA device here", file=sys.stderr)
        return 2
    model = torch.cuda.get_device_name().removeprefix("NVIDIA ").split()[0].lower()
    release = torch.__version__.partition("+")[0]
    with open(Path(folder) / f"{model}-{release}.jsonl", "w", encoding="utf-8") as file:
        for line in chain([head()], map(measured, PROGRAMS)):
            print(json.dumps(line), file=file, flush=True)
            print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
