"""Whether a run shards its parameters as FSDP1 does, in flat tensors of one dtype."""

from __future__ import annotations

from .run import Run
from .system import Setting


def flattened(run: Run) -> Setting | None:
    """The setting that switches FSDP1 on: the launcher's, else a trainer's."""
    launcher = run.view("accelerate")
    if launcher.at("distributed_type", "FSDP") or launcher.on("use_fsdp"):
        second = launcher.number("fsdp_config.fsdp_version") == 2
        return None if second else launcher.entry("distributed_type", "use_fsdp")
    settings = (view.given("fsdp") for view in run.trainers)
    return next(
        (s for s in settings if s is not None and s.value not in (None, "", False)),
        None,
    )
