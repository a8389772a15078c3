"""A program under its shadow: what observers saw becomes findings, and a report."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.failure import Failures
from ...core.finding import Finding
from ...fixing.remedy import advised
from ...judging.findings.aliases import said_better
from ...report import Report
from ...running.torch_abi import when_passed_back
from . import record
from .call import Call
from .finding import finding_of
from .infinities import note_infinite, note_vanished
from .loss import Loss, Losses
from .losses import observed
from .losses.nan_appears import RULE as NAN, SLOPE
from .losses.row_masked_whole import CHOOSES, MENDS
from .mode import Shadow
from .reach import Reach
from .residues import note_compensation
from .room import Room
from .section import LossValue
from .specials import UNSCALE
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# these are the program's choice of dtypes, whoever runs its loop
_TRAINERS = frozenset({
    "update-absorbed", "sum-stalls", "half-parameters-without-master", "state-in-half",
})  # fmt: skip
_CANCELS = "difference-cancels"
_COMPENSATED = _TRAINERS | {_CANCELS}
_FOLLOWS = {
    "nan-appears": ("constant-vanishes", "number-underflows", "difference-cancels"),
    "difference-cancels": ("integer-rounds",),
    "sum-stalls": ("integer-rounds",),
    "angle-rounds": ("integer-rounds",),
}


class Session:
    """`findings` and `sites` are there while it runs and afterwards."""

    def __init__(
        self,
        *,
        steps: int = 0,
        modules: tuple[str, ...] = (),
        memory: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Prepare a session that is not on yet."""
        self.watch = Watch(steps=steps, modules=modules, progress=progress)
        self.losses = Losses()
        self.room = Room(memory)
        self.shadow = Shadow(self.watch, self.losses, self._observe, self.room)
        self.shadow.began = self._began
        self.reach = Reach(self.room, self.shadow.resting)
        self.modules: dict[str, tuple[float, str]] = {}
        self.final: LossValue | None = None
        self._scaled = False
        self._suspects: list[Loss] = []
        self.watch.left = self._left

    @contextmanager
    def on(self) -> Iterator[Session]:
        """Compute everything of this thread with a shadow within the block."""
        with ExitStack() as stack:
            stack.enter_context(self.watch.on())
            stack.enter_context(self.shadow)
            yield self

    def _observe(self, call: Call) -> None:
        if call.op in MENDS | CHOOSES:
            self._mended(call)
        self._scaled = self._scaled or call.op == UNSCALE
        note_compensation(call)
        note_vanished(call)
        note_infinite(call)
        for loss in observed(call):
            if loss.rule == NAN and loss.form == SLOPE:
                self._suspect(loss)
            else:
                self.losses.add(loss)

    def _suspect(self, loss: Loss) -> None:
        """Keep a NaN as a suspect until the pass ends, since many formulas create NaN and remove it again."""
        if not self._suspects:
            when_passed_back(self._passed_back)
        self._suspects.append(loss)

    def _passed_back(self) -> None:
        with self.shadow.resting():
            if self._suspects and self.shadow.lines.left_bad():
                # others may have been taken out again, and follow from nothing
                self.losses.add(self._suspects[0])
        self._suspects.clear()

    def _began(self, loss: LossValue) -> None:
        self.final = loss
        self._suspects.clear()
        self.reach.loss = loss.value * loss.scale

    def _mended(self, call: Call) -> None:
        """Withdraw what an op takes out of numbers, or leaves out of them: a NaN, or a gradient that is none."""
        finite = all(one.finite for one in call.results)
        for one in call.operands if finite or call.op in MENDS else ():
            if one.record is not None and one.record.nan_born is not None:
                self.losses.withdraw(*one.record.nan_born)
        if finite and call.op in MENDS and self._suspects and call.forward:
            line, suspects = call.forward, self._suspects
            self._suspects = [one for one in suspects if one.site.location != line]

    def _left(self, path: str, output: Any) -> None:
        """Record a module's output error, at the worst of its calls."""
        from .call import tensors

        for one in tensors(
            output if not isinstance(output, dict) else list(output.values())
        ):
            if record.is_plain(one) and one.is_floating_point():
                kept = record.find(one)
                error = kept.error if kept is not None else 0.0
                if kept is not None and kept.wide is not None:
                    self.reach.follow(path, one, record.shadow(one))
                if path not in self.modules or error > self.modules[path][0]:
                    self.modules[path] = (error, str(one.dtype)[6:])

    def report(self, *, ended: str | None = None) -> Report:
        """Return the findings and the ranking."""
        import torch

        from .ranking import ranking

        findings, failures = self.findings(), Failures(self.shadow.failure())
        with failures.during("it looked for fixes"):
            findings = advised(findings)
        devices = {"cpu"} | ({"cuda"} if torch.cuda.is_initialized() else set())
        return Report(
            machine="+".join(sorted(devices)),
            torch=str(torch.__version__),
            findings=findings,
            ops=self.shadow.ops,
            ended=ended,
            failed=failures.line,
            traceback=failures.traceback,
            notes=self.shadow.notes(),
            command="shadow",
            sections=(ranking(self),),
        )

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in the order in which they occurred; consequences are listed under their cause."""
        if self._scaled:
            self.losses.withdraw_where("number-overflows", "backward")
        compensated = {
            site.function for site in self.watch.sites.values() if site.compensated
        }
        every = self.losses.all()
        met = {(loss.rule, loss.site.location, loss.site.op) for loss, _ in every}
        kept = [
            (loss, count)
            for loss, count in every
            if not said_better(loss.rule, (loss.site.location, loss.site.op), met)
            and not (loss.rule == _CANCELS and loss.site.corrects)
            and not (loss.rule in _COMPENSATED and _functions(loss) & compensated)
        ]
        return tuple(_finding(loss, count, kept) for loss, count in kept)


def _functions(loss: Loss) -> set[object]:
    return {loss.site.function, *(site.function for _, site in loss.also)}


def _finding(loss: Loss, count: int, every: list[tuple[Loss, int]]) -> Finding:
    causes = _FOLLOWS.get(loss.rule, ())
    sites = (loss.site, *(other for _, other in loss.also))
    places = {site.location.line for site in sites}
    cause = next(
        (
            n
            for n, (one, _) in enumerate(every[: every.index((loss, count))])
            if one.rule in causes and one.site.location.line in places
        ),
        None,
    )
    hint = loss.site.library is not None and loss.rule not in _TRAINERS
    found = finding_of(loss, count, "hint" if hint else "warning")
    return replace(found, consequence_of=cause)
