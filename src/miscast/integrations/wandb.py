"""A guard's figures in Weights & Biases.

run = wandb.init(…)
guard = miscast.guard(model, optimizer)
miscast.integrations.wandb.follow(guard, run)       # miscast/loss, miscast/norm, …, over miscast/step
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .figures import Figures

if TYPE_CHECKING:
    from ..guarding.watch import Guard

__all__ = ["follow"]


def follow(guard: Guard, run: Any, *, every: int = 1, commit: bool = True) -> None:
    """Log a guard's lines to a run, each `every` steps; an alarm is in the run's summary, too.

    The metrics have a step of their own. `commit` False hands them on with what the program itself logs next, for one
    that counts W&B's steps itself.
    """
    run.define_metric("miscast/step", hidden=True)
    run.define_metric("miscast/*", step_metric="miscast/step")

    def metrics(found: dict[str, float], step: int) -> None:
        run.log({**found, "miscast/step": step}, commit=commit)

    def text(told: str, _: int) -> None:
        run.summary["miscast/trip"] = told

    guard.follow(Figures("wandb", every, metrics, text))
