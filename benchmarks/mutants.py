"""Check whether the tests notice changes of the code: `python benchmarks/mutants.py [--seed S] [--write]`.

    python benchmarks/mutants.py                           200 mutants, with the seed of the table
    python benchmarks/mutants.py --reach reach.json        write which test reaches what, or read it from there
    python benchmarks/mutants.py --only judging/rules/ --mutants 40 --seed 7

    | part        | functions | mutants | noticed | equivalent | survived |
    | judging/rules/ | 61        | 50      | 92.0 %  | 1          | 3        |

A mutant is a source with one change of its syntax tree (`mutation/changes.py`). Functions are drawn first, each once
before any is drawn again, then a kind of change, then one of these. The tests that reach the changed statement, in
whatever process, are run on a copy, the fastest first, up to the first that fails or `--seconds` of them. At the end
the tests that failed are run without a change: one that fails there has noticed nothing. `mutation/equivalent.py` lists
the survivors that no test can notice, with the reason: they count as not noticed. `--write` writes to
docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path

import page
from mutation import trial
from mutation.changes import Change, changes, mutated
from mutation.equivalent import WHY
from mutation.reach import reached, statements

PACKAGE = trial.ROOT / "src" / "miscast"
PARTS = ("judging/cause.py", "judging/rules/", "vm/judging/", "report/")
COLUMNS = "part", "functions", "mutants", "noticed", "equivalent", "survived"
GOAL = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of a file below `src/miscast`, the `number`th of it; and which of the file's statements it is in.

    `text` is the line of the source.
    """

    file: str
    number: int
    text: str
    change: Change
    statement: int | None

    def __str__(self) -> str:
        what = f"{self.change.before} -> {self.change.after}"
        return f"{self.file}:{self.change.line} {self.change.function or '(module)'}: {what}"

    @property
    def part(self) -> str:
        """The part of Miscast that it is of."""
        return next(part for part in PARTS if self.file.startswith(part))

    @property
    def why(self) -> str:
        """Why no test can notice it; "" if one could."""
        return WHY.get((self.file, self.change.function, self.text, f"{self.change.before} -> {self.change.after}"), "")


def files() -> list[str]:
    """What is changed, below `src/miscast`."""
    every = (file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py"))
    return sorted(file for file in every if file.startswith(PARTS))


def mutants(file: str) -> Iterator[Mutant]:
    """All mutants of a file."""
    source = (PACKAGE / file).read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    numbers = {id(node): number for number, node in enumerate(statements(tree))}
    for number, change in enumerate(changes(tree)):
        yield Mutant(file=file, number=number, text=lines[change.line - 1].strip(), change=change,
                     statement=numbers.get(id(change.statement)))  # fmt: skip


def drawn(all_of_them: Sequence[Mutant], seed: int) -> Iterator[Mutant]:
    """Mutants at random, none twice: all functions have one before one has two."""
    rng = random.Random(seed)
    functions: defaultdict[tuple[str, str], defaultdict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for one in all_of_them:
        functions[one.file, one.change.function][one.change.kind].append(one)
    while functions:
        for name in rng.sample(sorted(functions), len(functions)):
            kinds = functions[name]
            kind = rng.choice(sorted(kinds))
            yield kinds[kind].pop(rng.randrange(len(kinds[kind])))
            if not kinds[kind]:
                del kinds[kind]
            if not kinds:
                del functions[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Which tests reach what: by test, its seconds and the numbers of statements, which `begins` counts by file."""

    begins: Mapping[str, int]
    found: Mapping[str, tuple[float, list[int]]]

    def tests(self, mutant: Mutant, most: float) -> tuple[list[str], float]:
        """The tests to run, the fastest first, up to `most` seconds.

        Where none reaches the statement, those of the file; of a constant of a module's, those of the folder: another
        value may take others there.
        """
        first, end = self._span(mutant.file)
        if mutant.statement is None:
            near = [file for file in self.begins if Path(file).parent == Path(mutant.file).parent and file]
            spans = [*map(self._span, near if "/" in mutant.file else [mutant.file])]
            some = self._reaching([number for span in spans for number in range(*span)])
        else:
            some = self._reaching([first + mutant.statement]) or self._reaching(range(first, end))
        chosen, total = [], 0.0
        for seconds, name in sorted(some):
            if chosen and total + seconds > most:
                break
            chosen.append(name)
            total += seconds
        return chosen, total

    def _span(self, file: str) -> tuple[int, int]:
        """The numbers of a file's statements."""
        first = self.begins[file]
        return first, min((begin for begin in self.begins.values() if begin > first), default=first)

    def _reaching(self, wanted: Sequence[int]) -> list[tuple[float, str]]:
        numbers = set(wanted)
        return [(seconds, name) for name, (seconds, reached) in self.found.items() if not numbers.isdisjoint(reached)]


def tried(tree: Path, mutant: Mutant, tests: Sequence[str], seconds: float) -> trial.Outcome:
    """What the tests say of a mutant."""
    source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    with trial.changed(tree / "src" / "miscast" / mutant.file, mutated(source, mutant.number)):
        return trial.run(tree, tests, seconds) if tests else trial.Outcome()


def judged(
    tree: Path, chosen: Sequence[Mutant], known: Reach, most: float, before: Mapping[str, str]
) -> dict[Mutant, str]:
    """What noticed each mutant ("": nothing), told as they come. A test that fails without any change noticed nothing.

    Those that were noticed `before` are not tried again, nor those that nothing noticed, with a reason.
    """
    found = {}
    if unmutated := trial.run(tree, [min(known.found, key=known.found.__getitem__)], most).by:
        raise SystemExit(f"without a change the tests do not pass either: {unmutated}")
    for number, mutant in enumerate(chosen, 1):
        by, told = before.get(str(mutant), ""), "as before"
        if not by and not (mutant.why and str(mutant) in before):
            tests, seconds = known.tests(mutant, most)
            outcome = tried(tree, mutant, tests, seconds)
            by, told = outcome.by, f"{outcome.seconds:.1f} s, {len(tests)} tests"
        found[mutant] = by
        print(f"{number:4}  {mutant}\n      {by or mutant.why or 'SURVIVED'} ({told})", flush=True)
    noticing = sorted({by for by in found.values() if "::" in by})
    unsound = trial.run(tree, noticing, 600.0, all_of_them=True).failed
    for name in unsound:
        print(f"fails without a change: {name}")
    return {mutant: "" if by in unsound else by for mutant, by in found.items()}


def table(found: Mapping[Mutant, str]) -> str:
    """The table of all parts."""
    lines = [f"| {' | '.join(COLUMNS)} |", "| --- " * len(COLUMNS) + "|"]
    for part in (*PARTS, ""):
        these = {mutant: by for mutant, by in found.items() if mutant.part == part or not part}
        if not these:
            continue
        noticed = sum(map(bool, these.values()))
        equivalent = sum(bool(mutant.why) for mutant, by in these.items() if not by)
        functions = len({(mutant.file, mutant.change.function) for mutant in these})
        name = f"`{part}`" if part else f"**all** (goal ≥ {GOAL:.0%})"
        lines.append(f"| {name} | {functions} | {len(these)} | {noticed / len(these):.1%} | {equivalent} | "
                     f"{len(these) - noticed - equivalent} |")  # fmt: skip
    return "\n".join(lines)


def brief(found: Mapping[Mutant, str]) -> str:
    """Return the sentence of the page: the share that was noticed, of all and by part."""
    by_part: dict[str, list[bool]] = {}
    for mutant, by in found.items():
        by_part.setdefault(mutant.part, []).append(bool(by))
    parts = (f"`{part}` {sum(some) / len(some):.1%} of {len(some)}" for part, some in by_part.items())
    noticed = sum(map(bool, found.values())) / len(found)
    missed = "" if noticed >= GOAL else " **missed**"
    return f"{noticed:.1%} noticed (goal: {GOAL:.0%}){missed}: {', '.join(parts)}."


def main() -> int:
    """Print the table; 1 if fewer are noticed than the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="of files whose names begin so, below src/miscast")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for one mutant, as they were recorded")
    parser.add_argument("--reach", type=Path, help="keep there what each test reaches, or take it from there")
    parser.add_argument("--noticed", type=Path, help="keep there what noticed which mutant: it is not tried again")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    known = Reach(**reached(options.reach, files(), ["tests", "--ring", "quick"]))
    every = [mutant for file in files() if file.startswith(options.only) for mutant in mutants(file)]
    chosen = list(islice(drawn(every, options.seed), options.mutants))
    trial.load()
    before = json.loads(options.noticed.read_text("utf-8")) if options.noticed and options.noticed.exists() else {}
    with trial.copied() as tree:
        found = judged(tree, chosen, known, options.seconds, before)
    if options.noticed:
        told = before | {str(mutant): by for mutant, by in found.items()}
        options.noticed.write_text(json.dumps(told, indent=0), encoding="utf-8")
    text = table(found)
    print(text)
    if options.write:
        day = f"{datetime.now(timezone.utc):%Y-%m-%d}"
        told = f"Measured {day}: {len(chosen)} of {len(every):,} mutants, seed {options.seed}."
        page.write("make bench-mutants", f"{told} {brief(found)}")
    return int(sum(map(bool, found.values())) < GOAL * len(found))


if __name__ == "__main__":
    sys.exit(main())
