"""Compare errors of plans with those of training runs: `python benchmarks/plan_error.py`.

Two recipes are planned with `--measure`. Then each is trained, in float32 and under the policy of each candidate, with
the same size, seed and number of steps. The plan compares each op with the same op in float32; the training runs are
independent of each other. Writes to docs/accuracy.md; `--no-write` only prints.
"""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

# ruff: noqa: E402 - imports follow the path
import page
import torch

from miscast import Policy

STEPS = 8
RECIPES = {
    "latent_diffusion_fp16": ["--dtype", "fp32", "--images", "4"],
    "sdxl_output_embedding": ["--dtype", "fp32", "--images", "4"],
}
_LOSSES = "--losses"


def planned(program: Path, args: list[str]) -> dict[str, Any]:
    """What `miscast plan` says, with one seed."""
    words = ["--machine", "rtx4090", "--seeds", "1", "--real-steps", str(STEPS), "--measure", " ".join(args)]
    ran = subprocess.run(
        [sys.executable, "-m", "miscast", "plan", "--format", "json", *words, str(program), *args],
        stdout=subprocess.PIPE, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    plan: dict[str, Any] = json.loads(ran.stdout)["plan"]
    return plan


def trained(program: Path, args: list[str], policy: Policy | None = None) -> list[float]:
    """The loss of each step of a training, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*args, "--steps", str(STEPS), "--output", f"{folder}/out"]
        if policy is not None:
            file = Path(folder, "plan.toml")
            file.write_text(policy.to_toml(), encoding="utf-8")
            words += ["--policy", str(file)]
        ran = subprocess.run(
            [sys.executable, __file__, _LOSSES, str(program), *words],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    losses: list[float] = json.loads(ran.stdout.splitlines()[-1])
    return losses


def losses_of(program: str, args: list[str]) -> list[float]:
    """Of a program that runs here: what it calls `backward` of, exactly."""
    found: list[float] = []
    backward = torch.Tensor.backward

    def noted(loss: torch.Tensor, *options: Any, **named: Any) -> None:
        found.append(loss.item())
        backward(loss, *options, **named)

    torch.Tensor.backward = noted  # type: ignore[method-assign]
    sys.argv = [program, *args]
    sys.path.insert(0, str(Path(program).parent))
    runpy.run_path(program, run_name="__main__")
    return found


def apart(losses: list[float], exact: list[float]) -> float:
    """The worst, relative."""
    return max(abs(a - b) / abs(b) for a, b in zip(losses, exact, strict=True))


def rows(name: str, args: list[str]) -> list[tuple[str, str, float, float]]:
    """Recipe, candidate, error by the plan, error of a training."""
    program = ROOT / "recipes" / name / "train.py"
    plan = planned(program, args)
    exact = trained(program, args)
    found = []
    for point in plan["points"]:
        same = point["checkpointing"] or set(point["precisions"].values()) <= {"32-true"}
        if same or point["states"] or point["error"] is None:
            continue
        policy = Policy(overrides={k: Policy.parse(v) for k, v in point["precisions"].items()})
        real = apart(trained(program, args, policy), exact)
        found.append((name, point["title"], point["error"], real))
        print(*found[-1], flush=True)
    return found


def tables() -> tuple[str, str]:
    """Return a table with a row for each candidate, and the sentence of the page."""
    found = [row for name, args in RECIPES.items() for row in rows(name, args)]
    lines = [f"| {name} | {title} | {error:.1e} | {real:.1e} |" for name, title, error, real in found]
    head = [
        f"Measured {page.today()}: {STEPS} steps at the tiny size, one seed, torch {torch.__version__}.", "",
        "| recipe | candidate | error by the plan | error in training |", "|---|---|---|---|",
    ]  # fmt: skip
    ratios = sorted(error / real for *_, error, real in found)
    brief = (
        f"{len(found)} candidates of {len(RECIPES)} recipes; error by the plan ÷ error in training: median "
        f"{median(ratios):.2f}, from {ratios[0]:.2f} to {ratios[-1]:.2f}."
    )
    return "\n".join([*head, *lines]), f"{head[0]} {brief}"


def main() -> None:
    if sys.argv[1:2] == [_LOSSES]:
        program, *args = sys.argv[2:]
        print(json.dumps(losses_of(program, args)))
        return
    text, brief = tables()
    print(text)
    if "--no-write" not in sys.argv:
        page.write("make bench-plan_error", brief)


if __name__ == "__main__":
    main()
