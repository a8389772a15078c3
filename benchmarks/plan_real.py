"""Plan programs at their real sizes: `python benchmarks/plan_real.py --results FOLDER`.

The five recipes, three models of diffusers and three of Transformers (planned/train.py), each from float32 on four
machines. A plan that is in the folder is not made again. `--write` writes the counts to docs/accuracy.md, `--only WORD`
makes the plans of programs whose name has the word.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

import page  # noqa: E402 - beside this file
from here import spent  # noqa: E402

MACHINES = ("rtx4090", "a100", "v100", "m2")
_RECIPE = ["--size", "real", "--dtype", "fp32", "--batch-size", "1", "--images", "4"]
_RECIPES: dict[str, list[str]] = {
    "latent_diffusion_fp16": _RECIPE,
    "sdxl_output_embedding": _RECIPE,
    "bf16_trainer": [
        *("--size", "real", "--dtype", "fp32", "--optimizer", "adamw", "--train_batch_size", "1"),
        *("--images", "4", "--gradient_checkpointing"),
    ],
    "multimodal_lora": _RECIPE,
    "vqa_multi_gpu": ["--size", "real", "--batch-size", "1", "--images", "4"],
}
_MODELS = ("sdxl-lora", "controlnet", "flux-lora", "llama-lora", "whisper", "vit")
PROGRAMS: dict[str, list[str]] = {
    **{name: [f"recipes/{name}/train.py", *words] for name, words in _RECIPES.items()},
    **{name: ["benchmarks/planned/train.py", name] for name in _MODELS},
}


def planned(words: list[str], machine: str) -> dict[str, Any]:
    """The plan, and the seconds that it took: of the processor, and by the clock."""
    before, begin = spent(), time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-m", "miscast", "plan", "--machine", machine, "--format", "json", *words],
        capture_output=True, text=True, cwd=ROOT, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    seconds = {"processor": spent() - before, "clock": time.monotonic() - begin}
    try:
        return {**json.loads(ran.stdout), "seconds": seconds}
    except json.JSONDecodeError:
        return {"plan": None, "refused": ran.stderr.strip()[-400:], "seconds": seconds}


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return "not run"
    plan = found["plan"]
    if plan is None:
        return found["refused"].splitlines()[-1][:80] if found["refused"] else "no plan"
    best = plan["chosen"]
    if best is None:
        near = plan["nearest"]
        if near is None:
            return "no candidate ran"
        return f"none; nearest {near['title']}: {_gib(near['peak'] - plan['memory'])} missing"
    forecast = best["forecast"]
    took = f"{forecast['seconds']:.2f} s" if forecast and forecast["launches"] else "on the CPU"
    return f"{best['title']}: {_gib(best['peak'])}, {took}"


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def table(folder: Path) -> str:
    """Of what is there."""
    lines = [f"| program | {' | '.join(MACHINES)} | CPU time |", f"|---|{'---|' * len(MACHINES)}---|"]
    for name in PROGRAMS:
        found = [_read(folder / f"{name}.{machine}.json") for machine in MACHINES]
        took = [one["seconds"]["processor"] for one in found if one is not None]
        span = f"{min(took):.0f} to {max(took):.0f} s" if took else ""
        lines.append(f"| {name} | {' | '.join(map(_cell, found))} | {span} |")
    return "\n".join(lines)


def summary(folder: Path) -> str:
    """Return the sentences of the page: how many programs have a plan on which machine, and what the search took."""
    plans, took = dict.fromkeys(MACHINES, 0), []
    for name in PROGRAMS:
        for machine in MACHINES:
            found = _read(folder / f"{name}.{machine}.json")
            if found is not None:
                plans[machine] += bool(found["plan"] and found["plan"]["chosen"])
                took.append(found["seconds"]["processor"])
    counts = ", ".join(f"{machine} {count}" for machine, count in plans.items())
    times = f" A search took {min(took):.0f} to {max(took):.0f} s of CPU time." if took else ""
    return f"Programs with a plan that fits, of {len(PROGRAMS)}: {counts}.{times}"


def _read(file: Path) -> dict[str, Any] | None:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def main() -> None:
    parser = argparse.ArgumentParser(description="Plans of programs at their real sizes.")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--machine", default=",".join(MACHINES))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.results.mkdir(exist_ok=True)
    for machine in options.machine.split(","):
        for name, words in PROGRAMS.items():
            file = options.results / f"{name}.{machine}.json"
            if options.write or file.exists() or options.only not in name:
                continue
            found = planned(words, machine)
            file.write_text(json.dumps(found), encoding="utf-8")
            print(f"{name} {machine} {found['seconds']['processor']:.0f} s: {_cell(found)}", flush=True)
    print(table(options.results))
    if options.write:
        text = f"Written {page.today()}. {summary(options.results)}"
        page.write("python benchmarks/plan_real.py --results FOLDER", text)


if __name__ == "__main__":
    main()
