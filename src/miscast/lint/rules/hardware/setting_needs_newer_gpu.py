"""A setting needs a newer GPU."""

from __future__ import annotations

from collections.abc import Iterator

from ...contradiction import Contradiction
from ...run import Run


def find(run: Run) -> Iterator[Contradiction]:
    """Yield settings that need a higher compute capability than the machine's."""
    has = run.machine.capability if run.machine is not None else None
    if run.machine is None or has is None or run.machine.device != "cuda":
        return
    for view in run.views:
        for need in view.system.facts.needs(view):
            if has < need.capability:
                needs, own = (
                    major * 10 + minor for major, minor in (need.capability, has)
                )
                yield Contradiction(
                    says=f"{need.setting.entry.text} needs compute capability {_dotted(need.capability)}, "
                    f"{run.machine.name} has {_dotted(has)}",
                    settings=(need.setting,),
                    effect=need.error.format(needs=needs, has=own),
                    help=need.help,
                )


def _dotted(capability: tuple[int, int]) -> str:
    return ".".join(map(str, capability))
