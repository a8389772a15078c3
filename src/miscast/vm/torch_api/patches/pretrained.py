"""Models of Transformers and Diffusers whose weights are nowhere to be had: built from their configuration.

Where neither the cache nor the hub has the weights, the configuration tells as much of dtypes and shapes as they would.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from ...machine import VirtualMachine

_CONFIG = ("cache_dir", "revision", "subfolder", "token", "trust_remote_code")


def _transformers(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    kind = module.PreTrainedModel

    def configured(cls: Any, name: Any, config: Any, given: dict[str, Any]) -> Any:
        if config is None or isinstance(config, str):
            config = cls.config_class.from_pretrained(
                config or name, local_files_only=True, **_known(given)
            )
        return (
            config,
            cls._from_config,
            getattr(config, "dtype", None) or getattr(config, "torch_dtype", None),
        )

    yield _loading(vm, kind, configured)


def _diffusers(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    kind = module.ModelMixin

    def configured(cls: Any, name: Any, _: Any, given: dict[str, Any]) -> Any:
        return (
            cls.load_config(name, local_files_only=True, **_known(given)),
            cls.from_config,
            None,
        )

    yield _loading(vm, kind, configured)


def _loading(vm: VirtualMachine, kind: Any, configured: Callable[..., Any]) -> Patch:
    original = kind.from_pretrained.__func__

    def from_pretrained(
        cls: Any,
        /,
        pretrained_model_name_or_path: Any,
        *args: Any,
        config: Any = None,
        **given: Any,
    ) -> Any:
        # a program may give it by its name
        name = pretrained_model_name_or_path
        own = {} if config is None else {"config": config}
        try:
            return theirs(original, cls, name, *args, **own, **given)
        except (OSError, AttributeError) as error:
            # Transformers 4 goes on without files where it is offline, and asks None for its ending.
            if os.path.isdir(name) or (
                isinstance(error, AttributeError) and "NoneType" not in str(error)
            ):
                raise
            try:
                found, make, dtype = configured(cls, name, config, given)
            except OSError:
                found = None
            if found is None:
                raise
        made = _built(vm, found, make, given, dtype).eval()
        vm.recorder.note(
            f"{name}: its weights are neither cached nor available online; built from its configuration"
        )
        return (made, {}) if given.get("output_loading_info") else made

    return Patch(kind, "from_pretrained", classmethod(from_pretrained))


def _built(
    vm: VirtualMachine, config: Any, make: Any, given: dict[str, Any], own: Any
) -> torch.nn.Module:
    """Build a model with the dtype and on the device that loading would choose."""
    asked = given.get("dtype", given.get("torch_dtype"))
    dtype = own if asked in (None, "auto") else asked
    dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    made: torch.nn.Module = theirs(make, config)
    if dtype is not None:
        made.to(dtype)
    placed = given.get("device_map")
    if isinstance(placed, str) and placed.startswith(
        ("auto", "balanced", "sequential")
    ):
        placed = vm.machine.device
    for name, device in (
        placed.items()
        if isinstance(placed, dict)
        else [("", placed)]
        if placed is not None
        else ()
    ):
        made.get_submodule(name).to(device)
    return made


def _known(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in _CONFIG if name in given}


LATER = {
    "transformers.modeling_utils": _transformers,
    "diffusers.models.modeling_utils": _diffusers,
}
