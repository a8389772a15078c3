"""A library does not run on the machine, whatever the settings."""

from __future__ import annotations

from collections.abc import Iterator

from ...contradiction import Contradiction
from ...run import Run


def find(run: Run) -> Iterator[Contradiction]:
    """Yield each system that does not run on the machine."""
    machine = run.machine
    for view in run.views if machine is not None else ():
        if machine is not None and (error := view.system.facts.refuses(machine)):
            yield Contradiction(
                says=f"{view.system.title} does not run on {machine.name}",
                settings=(),
                otherwise=view.place,
                effect=error,
                help="choose another machine",
            )
