"""Counts of verdicts as tables in Markdown: pure, no torch."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .outcome import Lost, Trial
from .verdict import Verdict, about_other, compared, same_operand, verdict

# FakeTensorMode says with these that it cannot tell, not that the call is wrong.
_UNSURE = ("DataDependentOutputException", "DynamicOutputShapeException", "UnsupportedOperatorException")
_FINE: tuple[Verdict, ...] = ("right", "not dtypes")
_TOLD: tuple[Verdict, ...] = ("right", "other operand")
_WORST = 25


@dataclass(slots=True)
class Tally:
    """What came of the calls of one family, or of all.

    `raised`: in torch, for their dtypes; `told`: those of them that the check told of; `named`: those of them whose
    text names an operand, `same` those where the finding does too; `alone` the verdicts of tables and contracts alone.
    """

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    alone: Counter[Verdict] = field(default_factory=Counter)
    raised: int = 0
    told: int = 0
    fake_raised: int = 0
    fake_refused: int = 0
    named: int = 0
    same: int = 0

    def add(self, trial: Trial) -> None:
        """Count one call."""
        found = verdict(trial)
        self.verdicts[found] += 1
        self.alone[compared(trial.real, trial.alone)] += 1
        error = trial.real.error
        fake = trial.faked.error is not None and not trial.faked.error.startswith(_UNSURE)
        if error is None:
            self.fake_refused += fake
        elif not about_other(error):
            self.raised += 1
            self.told += found in _TOLD
            self.fake_raised += fake
            same = same_operand(error, trial.checked.told) if found in _TOLD else None
            self.named += same is not None
            self.same += same is True

    @property
    def calls(self) -> int:
        """All of them."""
        return self.verdicts.total()

    @property
    def ran(self) -> int:
        """Those that real torch runs."""
        return self.calls - self.raised - self.verdicts["not dtypes"]

    def cells(self, name: str) -> tuple[str, ...]:
        """Return a row of the table."""
        found = self.verdicts
        return (
            name,
            f"{self.calls:,}",
            f"{self.raised:,}",
            percent(self.told, self.raised),
            percent(self.fake_raised, self.raised),
            f"{self.ran:,}",
            share(found["false alarm"], self.ran),
            share(found["wrong result"], self.ran),
            share(found["wrong gradient"], self.ran),
            str(found["ended"] + found["missed, ended"] or ""),
            str(found["crash"] or ""),
        )


HEAD = (
    "family", "calls", "rejected", "recall", "FakeTensorMode", "run", "false alarms", "wrong results",
    "wrong gradients", "ended", "crashed",
)  # fmt: skip


def families(trials: Sequence[Trial]) -> str:
    """Return the table with a row per family and one for all."""
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for trial in trials:
        tallies[trial.family].add(trial)
        tallies[""].add(trial)
    every = tallies.pop("", Tally())
    rows = [tallies[name].cells(name) for name in sorted(tallies, key=lambda name: (name == "other", name))]
    return table(HEAD, [*rows, tuple(f"**{cell}**" if cell else "" for cell in every.cells("all"))])


def total(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Return the cells of a row for all calls."""
    every = Tally()
    for trial in trials:
        every.add(trial)
    return every.cells(f"{len(trials):,}")


def weakest(trials: Sequence[Trial]) -> str:
    """Return a sentence on the families with a recall below 99.5 %, or with more false alarms than 2 %."""
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for trial in trials:
        tallies[trial.family].add(trial)
    low = [f"{name} {percent(one.told, one.raised)}" for name, one in sorted(tallies.items())
           if one.told < 0.995 * one.raised]  # fmt: skip
    high = [f"{name} {share(one.verdicts['false alarm'], one.ran)}" for name, one in sorted(tallies.items())
            if one.verdicts["false alarm"] > 0.02 * one.ran]  # fmt: skip
    return f"Recall below 99.5 %: {', '.join(low) or 'none'}. False alarms above 2 %: {', '.join(high) or 'none'}."


def remarks(trials: Sequence[Trial], lost: Sequence[Lost]) -> list[str]:
    """Return what the table does not show, a line each."""
    every = Tally()
    for trial in trials:
        every.add(trial)
    seconds = sorted(trial.checked.seconds for trial in trials)
    lines = [
        f"{every.named:,} errors name an operand; the finding names the same in {percent(every.same, every.named)}.",
        f"{every.verdicts['not dtypes']:,} calls raise in torch for other reasons (values, shapes, layout).",
        f"Tables and contracts alone, without running small calls on the CPU: {_alone(every)}.",
        f"`FakeTensorMode` rejects {share(every.fake_refused, every.ran)} of the calls that run.",
    ]
    if seconds:
        tenth = seconds[int(len(seconds) * 0.9)]
        lines.append(f"`check` of one call: median {statistics.median(seconds) * 1e3:.1f} ms, "
                     f"nine in ten under {tenth * 1e3:.1f} ms.")  # fmt: skip
    lines += [f"Lost with its process, {one.stage}: {one.call} ({one.why})." for one in lost]
    return lines


def _alone(every: Tally) -> str:
    found, ran = every.alone, every.ran
    missed = found["missed"] + found["missed, ended"]
    shares = ", ".join(f"{kind}s {share(found[kind], ran)}" for kind in ("false alarm", "wrong result"))
    return f"recall {percent(every.raised - missed, every.raised)}, {shares}"


def worst(trials: Iterable[Trial], limit: int = _WORST) -> str:
    """The ops with the most disagreements, with an example of each kind."""
    found: defaultdict[tuple[str, Verdict], list[Trial]] = defaultdict(list)
    for trial in trials:
        if (kind := verdict(trial)) not in _FINE:
            found[trial.op, kind].append(trial)
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:limit]
    rows = [(op, kind, str(len(them)), them[0].call, code(_says(kind, them[0]))) for (op, kind), them in ranked]
    return table(("op", "what", "calls", "example", ""), rows)


def kinds(trials: Iterable[Trial]) -> str:
    """How often each kind of disagreement was met, and in how many ops."""
    found: defaultdict[Verdict, list[str]] = defaultdict(list)
    for trial in trials:
        found[verdict(trial)].append(trial.op)
    rows = [(kind, f"{len(ops):,}", f"{len(set(ops)):,}") for kind, ops in sorted(found.items())]
    return table(("verdict", "calls", "ops"), rows)


def _says(kind: Verdict, trial: Trial) -> str:
    real, checked = trial.real, trial.checked
    text: dict[Verdict, Callable[[], str]] = {
        "missed": lambda: real.error or "",
        "missed, ended": lambda: f"{checked.ended} / torch: {real.error}",
        "other operand": lambda: f"{checked.told[0].message} / torch: {real.error}",
        "false alarm": lambda: f"{checked.told[0].message} ({checked.told[0].error})",
        "wrong result": lambda: f"{' '.join(checked.results)}, torch: {' '.join(real.results)}",
        "wrong gradient": lambda: f"{' '.join(checked.gradients)}, torch: {' '.join(real.gradients)}",
        "ended": lambda: checked.ended or "",
        "crash": lambda: checked.crash or "",
    }
    return text[kind]() if kind in text else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def code(text: str) -> str:
    """A text that Markdown leaves alone, and that stays in its cell."""
    plain = " ".join(text.replace("`", "'").replace("|", "/").split())
    return f"`{plain[:160]}`" if plain else ""


def percent(part: int, whole: int) -> str:
    """Never rounded up to all: "99.98 %"."""
    if not whole:
        return ""
    return "100 %" if part == whole else f"{int(part / whole * 1e4) / 100:.2f} %"


def share(part: int, whole: int) -> str:
    """How many, and how much of all: "3 (0.04 %)"; "0"."""
    return f"{part:,} ({part / whole:.2%})".replace("%", " %") if part and whole else str(part)
