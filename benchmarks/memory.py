"""Is the memory that `check` foretells what a GPU needs? `python benchmarks/memory.py`, on any machine.

`gpu/measure.py` ran the programs of `gpu/programs.py` on a real GPU; what it measured is beside it. Here each is
checked on a virtual machine with that GPU. Writes the table of docs/accuracy.md. A library of another version may need
another amount: the table says which versions were measured, and which were checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import page
from gpu.libraries import LIBRARIES, installed

GPU = Path(__file__).parent / "gpu"
GIB = 1 << 30


def foretold(name: str, machine: str) -> int | None:
    """The peak of the first GPU, in bytes; None where the program cannot be checked here, which is told."""
    command = [sys.executable, "-m", "miscast", "check", "--fixes", "0", "--machine", machine, "--format", "json"]
    print(f"{name} …", file=sys.stderr, flush=True)
    found = subprocess.run([*command, str(GPU / "programs.py"), name], capture_output=True, text=True, check=False)
    report = json.loads(found.stdout[found.stdout.index("{\n") :])
    if report["ended"]:
        print(f"{name}: {report['ended']}", file=sys.stderr)
        return None
    return next(one["peak"] for one in report["memory"] if one["device"] == "cuda:0")


def libraries(of: Mapping[str, str]) -> str:
    """As in "torch 2.11.0, transformers 5.17.0"."""
    return ", ".join(f"{name} {of[name].partition('+')[0]}" for name in LIBRARIES if name in of)


def table(measured: Path) -> str:
    """Rows of one GPU."""
    head, *lines = map(json.loads, measured.read_text(encoding="utf-8").splitlines())
    machine = measured.name.partition("-")[0]
    rows = [f"Measured on {head['device']}: {libraries(head)}. Checked with {libraries(dict(installed()))}.", ""]
    rows += ["| program | predicted | measured peak | ratio | reserved |", "|---|---|---|---|---|"]
    for line in lines:
        bytes_ = foretold(line["name"], machine)
        if bytes_ is not None:
            rows.append(
                f"| `{line['name']}` | {bytes_ / GIB:.2f} GiB | {line['peak'] / GIB:.2f} GiB | "
                f"{bytes_ / line['peak']:.3f} | {line['reserved'] / GIB:.2f} GiB |"
            )
    return "\n".join(rows)


def main() -> int:
    """Check all that was measured; print; write."""
    tables = [table(measured) for measured in sorted(GPU.glob("*.jsonl")) if not measured.name.startswith("kernels")]
    text = "\n\n".join(tables)
    print(text)
    page.write("accuracy.md", "python benchmarks/memory.py", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
