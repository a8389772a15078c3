"""Compare the table of `lint` with real trainers: `python benchmarks/settings.py [--only WORD] [--write]`.

    | trainer              | combinations | entries | agree   | unknown | errors predicted | false |
    | Transformers Trainer | 92           | 659     | 100.0 % | 174     | 15 of 15         | 0     |

Each combination of settings (settings/*.py) is written into a folder as a user has it. `lint` reads that folder; the
program in it trains a tiny model with the real libraries on the virtual machine, and prints what it saw
(settings/probe.py). The two are compared entry by entry, and what raised with what `lint` calls an error.

What was seen is kept in settings/measured, a file per family; a test compares `lint` with it, without the libraries.
`--only` measures again what has the word in its name, and keeps the rest; `--new` measures what is not kept yet, and
`--kept` nothing. `--write` writes the totals to docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "src"), str(HERE / "settings"), str(HERE)]

# ruff: noqa: E402 - imports follow the path
import page
from checkouts import absent, listed
from combination import Combination
from comparison import compared, laid, predicted
from kohya_models import NAMES as KOHYA
from pipelines import NAMES as PIPELINES

FAMILIES = (
    "trainer", "by_accelerate", "by_trl", "by_lightning", "by_deepspeed", "by_diffusers", "by_torchtune",
    "by_llamafactory", "by_torchtitan", "by_torchtitan_toml", "by_axolotl", "by_kohya", "by_onetrainer",
    "by_simpletuner", "by_automodel",
)  # fmt: skip
KEPT = HERE / "settings" / "measured"
MAKERS = {HERE / "settings" / "pipelines.py": PIPELINES, HERE / "settings" / "kohya_models.py": KOHYA}
TINY = ROOT / "corpus" / "wild" / "tiny.py"
LIMIT = 240


def made(names: Iterable[str], cache: Path) -> None:
    """The tiny models and data that some combinations need; what is there is kept."""
    for name in sorted(set(names)):
        if not (cache / name).exists():
            maker = next((file for file, names in MAKERS.items() if name in names), TINY)
            subprocess.run([sys.executable, str(maker), name, str(cache / name)], check=True)


def observed(one: Combination, folder: Path) -> dict[str, Any]:
    """What the program did, in a process of its own: what it saw, and the error that ended it or was found."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stream:
        child = os.fork()
        if not child:
            _become(one, folder, stream.fileno())
        limit = time.monotonic() + LIMIT
        while not os.waitpid(child, os.WNOHANG)[0]:
            time.sleep(0.02)
            if time.monotonic() > limit:
                os.kill(child, signal.SIGKILL)
        stream.seek(0)
        text = stream.read()
    told = {
        mark: json.loads(line.partition(": ")[2])
        for line in text.splitlines()
        for mark in ("observed", "errors")
        if line.startswith(f"{mark}: ")
    }
    if "errors" not in told:
        return {"cells": {}, "errors": [], "failed": text[-2000:]}
    return {"cells": told.get("observed", {}), "errors": told["errors"]}


def _become(one: Combination, folder: Path, output: int) -> None:
    """Run a combination in this process, print what was found, and end."""
    status = 1
    try:
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(folder)
        from trainings import errors

        found = errors(one)
        sys.stdout.write(f"\nerrors: {json.dumps(found)}\n")
        sys.stdout.flush()
        status = 0
    finally:
        os._exit(status)


def measured(one: Combination, cache: Path, checkouts: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both sides of a combination."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        laid(one, folder)
        for each in one.needs:
            (folder / each).symlink_to(cache / each)
        for each in one.checkouts:
            (folder / Path(each).name).symlink_to(checkouts / each)
        return predicted(one, folder), observed(one, folder)


def kept(family: str) -> dict[str, Any]:
    """What was seen of a family's combinations, by name."""
    file = KEPT / f"{family}.json"
    return json.loads(file.read_text(encoding="utf-8"))["seen"] if file.exists() else {}


def keep(one: Combination, seen: Mapping[str, Any]) -> None:
    """Write down what was seen of a combination, and with which libraries; what `lint` says is asked anew each time."""
    family = importlib.import_module(one.family)
    names = {other.name for other in family.grid()}
    every = {name: cells for name, cells in kept(one.family).items() if name in names} | {one.name: seen}
    versions = {name: f"{listed()[name][1]:.8}" for name in getattr(family, "CHECKOUTS", ())}
    versions |= {package: version(package).partition("+")[0] for package in family.PACKAGES}
    head = {"date": f"{datetime.now(timezone.utc):%Y-%m-%d}", "versions": versions}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(every[name], sort_keys=True)}" for name in sorted(every))
    KEPT.mkdir(exist_ok=True)
    text = f'{json.dumps(head)[:-1]}, "seen": {{\n{rows}\n}}}}\n'
    with tempfile.NamedTemporaryFile("w", dir=KEPT, delete=False, encoding="utf-8") as stream:
        stream.write(text)
    os.replace(stream.name, KEPT / f"{one.family}.json")


def shown(one: Combination, said: Mapping[str, Any], seen: Mapping[str, Any]) -> Iterator[str]:
    """A line for a combination, and one for each thing that differs."""
    cells = compared(said["cells"], seen["cells"])
    yield f"{one.family}: {one.name}  {[len(lines) for lines in cells.values()]}"
    if not seen["errors"]:
        yield from (f"    {line}" for line in cells["differ"])
    if bool(said["errors"]) != bool(seen["errors"]):
        yield f"    raises: said {said['errors']}, seen {seen['errors']}"


def counted(family: str) -> Counter[str]:
    """How many combinations of a family were run, cells agree, errors were told before; by what `lint` says now."""
    grid = {one.name: one for one in importlib.import_module(family).grid()}
    count: Counter[str] = Counter()
    for name, seen in kept(family).items():
        with tempfile.TemporaryDirectory() as folder:
            laid(grid[name], Path(folder))
            said = predicted(grid[name], Path(folder))
        count["run"] += 1
        raised = "raises" if seen["errors"] else "runs"
        count[f"{'foretold' if said['errors'] else 'untold'}, {raised}"] += 1
        if not seen["errors"]:
            count.update({kind: len(lines) for kind, lines in compared(said["cells"], seen["cells"]).items()})
    return count


def row(title: str, count: Counter[str], version: str) -> str:
    """Return a family's line of the table."""
    cells, raises = count["agree"] + count["differ"], count["foretold, raises"] + count["untold, raises"]
    shares = [
        str(count["run"]), f"{cells:,}", f"{100 * count['agree'] / max(cells, 1):.1f} %", f"{count['unknown']:,}",
        f"{count['foretold, raises']} of {raises}", str(count["foretold, runs"]), version,
    ]  # fmt: skip
    return f"| {' | '.join((title, *shares))} |"


def tables() -> tuple[str, str]:
    """Return the table with a row for each family, and the one of the page, of all of them."""
    rows = [
        "| trainer | combinations | entries | agree | unknown | errors predicted | false | version |",
        f"|{' --- |' * 8}",
    ]
    total: Counter[str] = Counter()
    dates, versions = set(), []
    for family in FAMILIES:
        file = KEPT / f"{family}.json"
        if file.exists():
            head = json.loads(file.read_text(encoding="utf-8"))
            dates.add(head["date"])
            count = counted(family)
            total += count
            version = " ".join(next(iter(head["versions"].items())))
            versions.append(version)
            rows.append(row(importlib.import_module(family).TITLE, count, version))
    every = row("**all**", total, "")
    when = f"Measured {max(dates)} with Python {sys.version.split()[0]}"
    brief = page.columns([*rows[:2], every], 7)
    return (
        "\n".join([*rows, every, "", f"{when}."]),
        "\n".join([*brief, "", f"{when}: {', '.join(versions)}."]),
    )


def main() -> None:
    """Measure, print what differs, keep it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/miscast-settings").expanduser())
    parser.add_argument("--checkouts", type=Path, default=Path("~/.cache/miscast-checkouts").expanduser())
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    chosen = [
        one
        for family in arguments.family or FAMILIES
        for one in importlib.import_module(family).grid()
        if arguments.only in one.name and not arguments.kept
    ]
    # in no order, so that what is measured when it is broken off is of all kinds
    random.Random(0).shuffle(chosen)
    for line in absent((path for one in chosen for path in one.checkouts), arguments.checkouts):
        print(line, flush=True)
    chosen = [one for one in chosen if not absent(one.checkouts, arguments.checkouts)]
    made((name for one in chosen for name in one.needs), arguments.cache)
    if chosen:
        from trainings import warm

        warm({one.family for one in chosen})
    for one in chosen:
        if arguments.new and one.name in kept(one.family):
            continue
        said, seen = measured(one, arguments.cache, arguments.checkouts)
        if "failed" in seen:
            print(f"{one.family}: {one.name}: the process ended early\n{seen['failed']}", flush=True)
            continue
        keep(one, seen)
        for line in shown(one, said, seen):
            print(line, flush=True)
    text, brief = tables()
    print(text)
    if arguments.write:
        page.write("make bench-settings", brief)


if __name__ == "__main__":
    main()
