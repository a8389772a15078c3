"""A contradiction as data: the keys, the condition, what happens at run time, what to set instead.

    Conflict(rule="both-half-dtypes", keys=("fp16", "bf16"), when=both("fp16", "bf16"),
             says="fp16 and bf16 are both on", effect="ValueError: At most one of fp16 and bf16 can be True, …",
             help="keep one of them", source="transformers/training_args.py, 5.23.0")

Each stands in `CONFLICTS` of its system's file, which fills in the system's name. A contradiction that a condition
cannot express is a `Check`, a function of the same tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core.finding import Severity
from ..core.frozen import dataclass
from .contradiction import Contradiction, Declared, replaced
from .run import Run
from .view import View

When = Callable[[View, Run], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict(Declared):
    """A condition on a system's settings.

    `keys` are named as "key", or "system:key" for another system's; the finding is at the first that is given. In
    `says`, `effect` and `help`, `{0}` is the value of the first key, and so on. `effect` is the error at run time, or
    what happens silently. `fix` is a safe change: a key and the text that its value becomes. An `inherited` conflict
    holds for the systems based on this one too, if they have its keys.
    """

    keys: tuple[str, ...]
    when: When
    says: str
    effect: str
    help: str
    source: str
    severity: Severity = "error"
    fix: tuple[str, str] | None = None
    inherited: bool = False

    def find(self, run: Run) -> Iterator[Contradiction]:
        """Yield a contradiction for each view for which the condition holds."""
        for view in (
            run.family(self.system) if self.inherited else (run.view(self.system),)
        ):
            if view and self._concerns(view) and self.when(view, run):
                yield self._found(view, run)

    def _concerns(self, view: View) -> bool:
        return all(":" in key or key in view.system.by_name for key in self.keys)

    def _found(self, view: View, run: Run) -> Contradiction:
        owners = [
            (run.view(system) if system else view, key)
            for system, _, key in (k.rpartition(":") for k in self.keys)
        ]
        values = [owner.get(key) for owner, key in owners]
        key, text = self.fix or ("", "")
        return Contradiction(
            says=self.says.format(*values),
            settings=tuple(owner.given(key) for owner, key in owners),
            effect=self.effect.format(*values),
            help=self.help.format(*values),
            edit=replaced(view.given(key), text),
            severity=self.severity,
            otherwise=view.place,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Declared):
    """A function that yields the contradictions of a system's settings; it runs where the run has the system."""

    search: Callable[[View, Run], Iterator[Contradiction]]
    source: str = ""

    def find(self, run: Run) -> Iterator[Contradiction]:
        """Yield what the function finds."""
        view = run.view(self.system)
        return self.search(view, run) if view else iter(())


def both(first: str, second: str) -> When:
    """Return the condition that two switches are on."""
    return lambda view, _: view.on(first) and view.on(second)
