"""Compare the memory that `check` predicts with that of a GPU: `python benchmarks/memory.py`, on any machine.

`gpu/measure.py` ran the programs of `gpu/programs.py` on a real GPU; its measurements are beside it. Here each program
is checked on a virtual machine with that GPU. Writes to docs/accuracy.md. Another version of a library may need another
amount, so the versions of both sides are printed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import page
from gpu.libraries import LIBRARIES, installed

GPU = Path(__file__).parent / "gpu"
GIB = 1 << 30
WITHIN = 0.05


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


def tables(measured: Path) -> tuple[str, str]:
    """Return the rows of one GPU, and the sentences of the page."""
    head, *lines = map(json.loads, measured.read_text(encoding="utf-8").splitlines())
    machine = measured.name.partition("-")[0]
    rows = [f"Measured on {head['device']}: {libraries(head)}. Checked with {libraries(dict(installed()))}.", ""]
    rows += ["| program | predicted | measured peak | ratio | reserved |", "|---|---|---|---|---|"]
    ratios = {}
    for line in lines:
        bytes_ = foretold(line["name"], machine)
        if bytes_ is not None:
            ratios[line["name"]] = bytes_ / line["peak"]
            rows.append(
                f"| `{line['name']}` | {bytes_ / GIB:.2f} GiB | {line['peak'] / GIB:.2f} GiB | "
                f"{bytes_ / line['peak']:.3f} | {line['reserved'] / GIB:.2f} GiB |"
            )
    far = ", ".join(f"`{name}` {ratio:.3f}" for name, ratio in ratios.items() if abs(ratio - 1) > WITHIN)
    brief = (
        f"{len(ratios)} programs, predicted ÷ measured: median {median(ratios.values()):.2f}, from "
        f"{min(ratios.values()):.3f} to {max(ratios.values()):.3f}. More than {WITHIN:.0%} off: {far or 'none'}."
    )
    return "\n".join(rows), f"{rows[0]} {brief}"


def main() -> int:
    """Check all that was measured; print; write."""
    files = [measured for measured in sorted(GPU.glob("*.jsonl")) if not measured.name.startswith("kernels")]
    texts, briefs = zip(*map(tables, files), strict=True)
    print("\n\n".join(texts))
    page.write("make bench-memory", "\n\n".join([*briefs, f"Checked {page.today()}."]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
