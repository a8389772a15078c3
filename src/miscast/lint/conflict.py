"""One contradiction as data: which keys of a system, when, what then happens, what to set instead.

Conflict(system="transformers", keys=("fp16", "bf16"), when=lambda s, run: s.on("fp16") and s.on("bf16"),
         says="fp16 and bf16 are both on", effect="ValueError: At most one of fp16 and bf16 can be True, …",
         help="keep one of them", source="transformers/training_args.py, 5.23.0")
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..finding import Severity
from ..frozen import dataclass
from .contradiction import Contradiction, replaced
from .run import Run
from .view import View

When = Callable[[View, Run], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """`keys` are named as "key", or "system:key" for another system's; the first that is given is to blame.

    It holds for the system and, if it is `inherited`, for those based on it that have its keys. In `says` and `help`,
    `{0}` is the value of the first key, and so on. `effect` says what happens at run time: the error, or what is
    silently done. `fix` is a safe change: a key and the text that its value becomes.
    """

    system: str
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
        """The contradictions that a run has."""
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


def both(first: str, second: str) -> When:
    """Two switches are on."""
    return lambda view, _: view.on(first) and view.on(second)
