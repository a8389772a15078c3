"""The switches of cuBLAS and of `torch.cuda.tunable`: they can be set, and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ....running.process.patching import Patch
from .answers import always, answers, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State

_OFF = (
    "tunableop_is_enabled",
    "tunableop_tuning_is_enabled",
    "record_untuned_is_enabled",
)
_EMPTY = ("tunableop_get_results", "tunableop_get_validators")
_ZERO = (
    "tunableop_get_max_tuning_duration", "tunableop_get_max_tuning_iterations",
    "tunableop_get_rotating_buffer_size", "getCublasWorkspaceSize", "getCublasLtWorkspaceSize",
    "getHipblasltVersion",
)  # fmt: skip
_IGNORED = (
    "tunableop_enable", "tunableop_tuning_enable", "tunableop_set_filename",
    "tunableop_set_max_tuning_duration", "tunableop_set_max_tuning_iterations",
    "tunableop_set_numerical_check_tolerances", "tunableop_set_rotating_buffer_size",
    "record_untuned_enable", "setCublasWorkspaceSize", "setCublasLtWorkspaceSize",
    "resetCublasWorkspaceSize", "resetCublasLtWorkspaceSize",
    "attach_out_of_memory_observer",
)  # fmt: skip


def patches(_machine: Machine, _state: State) -> Iterator[Patch]:
    """Yield all of them off."""
    for names, answer in (
        (_OFF, always(False)),
        (_EMPTY, always(())),
        (_ZERO, always(0)),
        (_IGNORED, nothing),
    ):
        yield from answers(torch._C, {f"_cuda_{name}": answer for name in names})
    yield Patch(torch._C, "_cuda_tunableop_get_filename", always(""))
    yield Patch(torch._C, "_cuda_tunableop_read_file", always(False))
