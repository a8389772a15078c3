"""The experiment trackers, and by which of their own switches each runs without its server: one entry per tracker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracker:
    """`server` is who would have got the uploads.

    `forced` are calls that get other arguments, `answered` calls that are not made but return this; both by their names
    within `module`. `local` names arguments that say where the server is: an address there becomes a folder that
    ends with the check. `kept` are globals of the module that a run leaves behind; they are put back. `muted` are
    methods of runs that began before the check. `only_with`: forced if the program gives one of these arguments.
    `environment` is set, until the end of the check, where the user has set nothing.
    """

    module: str
    server: str
    forced: dict[str, dict[str, Any]] = field(default_factory=dict)
    answered: dict[str, Any] = field(default_factory=dict)
    local: dict[str, str] = field(default_factory=dict)
    before: dict[str, tuple[str, tuple[Any, ...], tuple[Any, ...]]] = field(
        default_factory=dict
    )
    kept: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


_WANDB = "api.wandb.ai:443"
_WANDB_RUN = (
    *("log", "save", "finish", "alert", "define_metric", "log_code"),
    *("log_artifact", "upsert_artifact", "link_artifact", "log_model", "link_model"),
)
_WANDB_GLOBALS = (
    *("run", "config", "summary", "log", "save", "alert", "define_metric", "mark_preempting", "watch", "unwatch"),
    *("log_artifact", "use_artifact", "log_model", "use_model", "link_model"),
)  # fmt: skip
_NEPTUNE = {
    "run": "Run", "project": "Project", "model": "Model", "model_version": "ModelVersion",
}  # fmt: skip
_STORES = "_get_store_with_resolved_uri"
_MLFLOW = "mlflow server"

# since 3.14 a folder must be asked for
TRACKERS = (
    Tracker(
        module="wandb",
        server=_WANDB,
        forced={"init": {"mode": "disabled"}},
        answered={"login": True, "sweep": "offline"},
        kept=_WANDB_GLOBALS,
        muted=tuple(f"Run.{name}" for name in _WANDB_RUN),
    ),
    Tracker(
        module="mlflow.tracking._tracking_service.registry",
        server=_MLFLOW,
        environment={"MLFLOW_ALLOW_FILE_STORE": "true"},
        local={f"TrackingStoreRegistry.{_STORES}": "resolved_store_uri"},
    ),
    Tracker(
        module="mlflow.tracking._model_registry.registry",
        server=_MLFLOW,
        local={f"ModelRegistryStoreRegistry.{_STORES}": "resolved_store_uri"},
    ),
    Tracker(
        module="comet_ml",
        server="www.comet.com:443",
        forced={
            "Experiment.__init__": {"disabled": True},
            "ExistingExperiment.__init__": {"disabled": True},
        },
        answered={"login": None, "init": None},
    ),
    *(
        Tracker(
            module=f"neptune.metadata_containers.{part}",
            server="app.neptune.ai:443",
            forced={f"{kind}.__init__": {"mode": "debug"}},
        )
        for part, kind in _NEPTUNE.items()
    ),
    Tracker(module="aim", server="aim server", local={"Run.__init__": "repo"}),
    Tracker(
        module="clearml",
        server="api.clear.ml:443",
        before={"Task.init": ("Task.set_offline", (True,), (False,))},
    ),
    Tracker(
        module="swanlab",
        server="api.swanlab.cn:443",
        forced={"init": {"mode": "disabled"}},
        answered={"login": None},
    ),
    Tracker(
        module="trackio",
        server="huggingface.co:443",
        forced={"init": {"space_id": None, "dataset_id": None}},
        only_with=("space_id", "dataset_id"),
    ),
)
