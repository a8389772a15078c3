"""Choose the slow tests that `make test` runs all the same: `python benchmarks/kept.py [--seconds N] [--reach FILE]`.

    python benchmarks/kept.py --reach reach.json     write which test reaches what, or read it from there
    python benchmarks/kept.py --seconds 300          seconds of all tests, quick ones included

The tests of PROGRAMS stay, because reports of whole programs are compared word for word. Of the other slow tests those
are chosen that reach the most statements per second which no test before them reaches. tests/kept.txt lists them.
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from mutation import trial
from mutation.reach import reached

TESTS = trial.ROOT / "tests"
PACKAGE = trial.ROOT / "src" / "miscast"
PROGRAMS = "tests/programs/test_programs.py::test_a_program"
SLOW, LONGEST = 0.2, 2.0
"""Seconds from which on a test is slow (tests/rings.py), and from which on none is kept."""
LEAST = 0.02
"""Seconds that a test takes at least: what is measured below is noise."""
HEAD = "# Slow tests that `make test` runs all the same: benchmarks/kept.py chose them.\n"
Found = dict[str, tuple[float, frozenset[int]]]


def found_by(kept: Path | None, durations: Mapping[str, float]) -> Found:
    """What all tests reach that are not too long, by test, with their seconds."""
    every = sorted(file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py"))
    files = [file for file in every if file != "__init__.py"]
    long = [f"--deselect={name}" for name, took in durations.items() if took >= LONGEST]
    found = reached(kept, files, ["tests", "-m", "not minutes", *long])["found"]
    return {
        name: (durations.get(name, min(took, SLOW)), frozenset(numbers))
        for name, (took, numbers) in found.items()
    }


def chosen(found: Found, quick: frozenset[str], most: float) -> Iterator[str]:
    """The tests to run beside the quick ones, up to so many seconds of all, those first that reach most a second."""
    have = frozenset().union(*(found[name][1] for name in quick))
    spent = sum(found[name][0] for name in quick)
    waiting = [(-len(more - have) / max(took, LEAST), name) for name, (took, more) in found.items()]
    heapq.heapify(waiting)
    while waiting:
        _, name = heapq.heappop(waiting)
        took, more = found[name]
        gain = -len(more - have) / max(took, LEAST)
        if gain and waiting and gain > waiting[0][0]:
            heapq.heappush(waiting, (gain, name))  # others before it took some of what it reaches
        elif gain and spent + took <= most:
            have |= more
            spent += took
            yield name


def main() -> int:
    """Write the list, and say what it reaches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=350.0, help="that all tests of `make test` may take")
    parser.add_argument("--reach", type=Path, help="keep there what each test reaches, or take it from there")
    options = parser.parse_args()
    durations = json.loads((TESTS / "durations.json").read_text(encoding="utf-8"))
    found = found_by(options.reach, durations)
    quick = frozenset(name for name in found if name not in durations or name.startswith(PROGRAMS))
    names = list(chosen(found, quick, options.seconds))
    (TESTS / "kept.txt").write_text(HEAD + "\n".join([PROGRAMS, *sorted(names)]) + "\n", encoding="utf-8")
    run = quick.union(names)
    some = frozenset().union(*(found[name][1] for name in run))
    everything = frozenset().union(*(more for _, more in found.values()))
    took = sum(found[name][0] for name in run)
    print(f"{len(quick):,} quick tests and {len(names)} slow ones: {took:.0f} s, "
          f"{len(some):,} of {len(everything):,} statements")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
