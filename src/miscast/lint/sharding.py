"""The sharding of a run: FSDP1, which flattens parameters into tensors of one dtype, FSDP2, or DeepSpeed."""

from __future__ import annotations

from ..core.frozen import dataclass
from .run import Run
from .system import Setting
from .view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharding:
    """The setting that switches FSDP on, and the version: 1, 2, or 0 if it is in a file that is not read."""

    by: Setting
    version: int


def sharded(run: Run) -> Sharding | None:
    """Return the launcher's FSDP, else a trainer's."""
    launcher = run.view("accelerate")
    if launcher.at("distributed_type", "FSDP") or launcher.on("use_fsdp"):
        by = launcher.entry("distributed_type", "use_fsdp")
        version = _version(launcher, "fsdp_config.fsdp_version")
        return None if by is None else Sharding(by=by, version=version)
    for view in run.trainers:
        setting = view.system.facts.shards(view)
        if setting is not None:
            return Sharding(by=setting, version=_version(view, "fsdp_version"))
    return None


def flattened(run: Run) -> Setting | None:
    """Return the setting that switches FSDP1 on."""
    found = sharded(run)
    return found.by if found is not None and found.version == 1 else None


def _version(view: View, key: str) -> int:
    """Return the version by a key, else the system's default; FSDP1 if the system has no such key."""
    elsewhere = any(
        entry.path == "fsdp_config" and isinstance(entry.value, str)
        for document in view.documents
        for entry in document.entries
    )
    if elsewhere or key not in view.system.by_name:
        return 0 if elsewhere else 1
    return int(view.number(key) or 0)


def has_engine(run: Run, view: View) -> bool:
    """Check whether DeepSpeed's engine trains: by its JSON, or by a trainer's `deepspeed`."""
    named = "deepspeed" in view.system.by_name and view.filled("deepspeed")
    return bool(run.view("deepspeed")) or named
