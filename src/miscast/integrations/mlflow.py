"""A guard's figures in MLflow.

with mlflow.start_run():
    guard = miscast.guard(model, optimizer)
    miscast.integrations.mlflow.follow(guard)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mlflow

from .figures import Figures

if TYPE_CHECKING:
    from ..guarding.watch import Guard

__all__ = ["follow"]

_TAG = 5000  # characters; MLflow takes 8,000


def follow(guard: Guard, run_id: str | None = None, *, every: int = 1) -> None:
    """Log a guard's lines to a run (None: the active one), each `every` steps; an alarm is a tag, too.

    Nothing is waited for: MLflow sends in a thread of its own. Raises MlflowException where no run is active.
    """
    active = mlflow.active_run()
    known = run_id or (active.info.run_id if active is not None else None)
    if known is None:
        raise mlflow.exceptions.MlflowException(
            "no run is active: start one, or pass run_id="
        )

    def metrics(found: dict[str, float], step: int) -> None:
        mlflow.log_metrics(found, step=step, run_id=known, synchronous=False)

    def text(told: str, _: int) -> None:
        mlflow.MlflowClient().set_tag(known, "miscast.trip", told[:_TAG])

    guard.follow(Figures("mlflow", every, metrics, text))
