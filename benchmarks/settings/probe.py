"""What a training really does, in the words of `lint`'s table: a program calls `watch(model)`, trains, calls `tell()`.

    observed: {"model": {"parameters": "float32", "compute": "bfloat16", "loss scaling": "off", …}}

Seen through torch's public hooks, on the way: modules as they run, optimizers as they step, collectives as they are
called. A respect that was not seen is left out; of several dtypes all are told ("bfloat16, float32").
"""

from __future__ import annotations

import functools
import json
import os
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from torch.distributed.tensor import DTensor
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

Part = Callable[[str], bool]
_REDUCE = (
    "all_reduce", "all_reduce_coalesced", "reduce", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor",
)  # fmt: skip
_SMALL = 16
"""Collectives of fewer elements are losses, norms and flags, no gradients."""
_PRODUCTS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)


def adapter(name: str) -> bool:
    """Whether a parameter or module of that name is peft's."""
    return "lora_" in name


ADAPTED: dict[str, Part] = {"adapter": adapter, "base model": lambda name: not adapter(name)}


class _Watched:
    """One model in parts, and what was seen of each: respect → values."""

    def __init__(self, model: nn.Module, parts: dict[str, Part]) -> None:
        self.model, self.parts = model, parts
        self.seen: dict[str, dict[str, set[str]]] = {part: defaultdict(set) for part in parts}
        self._hooked: set[int] = set()
        for name, module in model.named_modules():
            if isinstance(module, _PRODUCTS):
                module.register_forward_hook(functools.partial(self._product, name))
        model.register_forward_pre_hook(lambda *_: self.begins())
        model.register_forward_hook(lambda _, __, out: self._ends(out))

    def note(self, respect: str, name: str, value: str) -> None:
        for part, holds in self.parts.items():
            if holds(name):
                self.seen[part][respect].add(value)

    def everywhere(self, respect: str, value: str) -> None:
        for seen in self.seen.values():
            seen[respect].add(value)

    def _product(self, name: str, _: nn.Module, __: Any, out: Tensor) -> None:
        self.note("compute", name, word(out.dtype))
        self.note("autocast", name, _autocast(out.device.type))

    def begins(self) -> None:
        """A call begins: what holds then."""
        _engine()
        self.everywhere("tf32", "on" if torch.backends.cuda.matmul.fp32_precision == "tf32" else "off")
        kernel = getattr(getattr(self.model, "config", None), "_attn_implementation", None)
        if kernel:
            self.everywhere("attention", str(kernel))
        for name, buffer in self.model.named_buffers():
            if buffer.is_floating_point():
                self.note("buffers", name, word(buffer.dtype))
        sharded = isinstance(self.model, FSDPModule)
        for name, parameter in self.model.named_parameters():
            # FSDP1's flat parameters, and FSDP2's whole ones, get theirs before they are reduced
            flat = hasattr(parameter, "_is_flat_param") or (sharded and not isinstance(parameter, DTensor))
            if parameter.requires_grad and parameter.is_leaf and not flat and id(parameter) not in self._hooked:
                self._hooked.add(id(parameter))
                parameter.register_post_accumulate_grad_hook(functools.partial(self._arrived, name))

    def _arrived(self, name: str, parameter: Tensor) -> None:
        if parameter.grad is not None:
            self.note("gradients", name, word(parameter.grad.dtype))

    def _ends(self, out: Any) -> None:
        first = next(_floating(out), None)
        if first is not None:
            self.seen[next(iter(self.parts))]["outputs"].add(word(first.dtype))

    def steps(self) -> None:
        """An optimizer is about to step: what holds the weights, and what was summed up for them."""
        for name, parameter in self.model.named_parameters():
            self.note("parameters", name, held(parameter))
            if parameter.grad is not None:
                self.note("accumulation", name, word(parameter.grad.dtype))
                for part, holds in self.parts.items():
                    if holds(name):
                        self.seen[part].setdefault("gradients", {word(parameter.grad.dtype)})

    def frozen(self, part: str) -> bool:
        own = [p for name, p in self.model.named_parameters() if self.parts[part](name)]
        return bool(own) and not any(p.requires_grad for p in own)

    def observed(self) -> dict[str, dict[str, set[str]]]:
        return {
            part: seen | ({respect: {"none"} for respect in _TRAINED} if self.frozen(part) else {})
            for part, seen in self.seen.items()
        }


_TRAINED = ("gradients", "accumulation", "reduction", "optimizer states", "loss scaling")
_WATCHED: list[_Watched] = []
_SCALERS: set[str] = set()


def word(dtype: torch.dtype) -> str:
    """A dtype by its name alone."""
    return str(dtype).removeprefix("torch.")


_QUANTIZERS = {"torchao": "torchao", "optimum": "quanto"}
"""Those whose tensors go by the dtype that they are computed in, by the package."""


def held(parameter: Tensor) -> str:
    """What a parameter is kept in: of quantized tensors that of what is within, and whose they are."""
    if type(parameter).__name__ == "Params4bit":
        return "4-bit"
    inner = parameter.data
    library = _QUANTIZERS.get(type(inner).__module__.partition(".")[0])
    while hasattr(inner, "__tensor_flatten__"):
        inner = getattr(inner, inner.__tensor_flatten__()[0][0])
    return f"{word(inner.dtype)}-{library}" if library else word(parameter.dtype)


def watch(model: nn.Module, parts: dict[str, Part] | str = "model") -> _Watched:
    """Look at a model from now on, as a whole or in parts that are told apart by the names of their parameters."""
    if not _WATCHED:
        _install()
    _engine()
    _WATCHED.append(_Watched(model, {parts: lambda _: True} if isinstance(parts, str) else parts))
    return _WATCHED[-1]


def meet(models: Mapping[str, str]) -> None:
    """Look at each module of a named class from its first call on, as the part it is; LoRA layers are "lora"."""
    known: set[int] = set()

    def met(module: nn.Module, _: Any) -> None:
        part = models.get(type(module).__name__)
        if part is None or id(module) in known:
            return
        known.add(id(module))
        adapted = any(adapter(name) for name, _ in module.named_parameters())
        # A hook that is added during a call is not among those that are called.
        watch(module, {"lora": adapter, part: lambda name: not adapter(name)} if adapted else part).begins()

    nn.modules.module.register_module_forward_pre_hook(met)


def follow(parts: dict[str, Part] | str = "model") -> None:
    """Look at the first model that a trainer trains; what it holds before a step is seen from the second call on."""

    def called(module: nn.Module, _: Any) -> None:
        trains = module.training and torch.is_grad_enabled()
        if trains and any(parameter.requires_grad for parameter in module.parameters()):
            handle.remove()
            watch(module, parts)

    handle = nn.modules.module.register_module_forward_pre_hook(called)


def scales(how: str) -> None:
    """The loss is scaled: "dynamic", or "fixed, 128"."""
    _SCALERS.add(how)


def stepped_by(optimizer: torch.optim.Optimizer) -> None:
    """An optimizer whose own `step` was replaced, of which torch's hooks hear nothing."""
    step = optimizer.step.__func__  # type: ignore[attr-defined]

    @functools.wraps(step)
    def stepping(self: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> Any:
        for watched in _WATCHED:
            watched.steps()
        result = step(self, *args, **kwargs)
        _stepped(self)
        return result

    optimizer.step = types.MethodType(stepping, optimizer)  # type: ignore[method-assign]


def tell() -> None:
    """Print what was seen, once per program: the first rank's."""
    found: dict[str, dict[str, set[str]]] = {}
    for watched in _WATCHED:
        for part in watched.parts:
            if not watched.frozen(part):
                watched.seen[part]["loss scaling"] |= _SCALERS or {"off"}
        for part, seen in watched.observed().items():
            for respect, values in seen.items():
                found.setdefault(part, {}).setdefault(respect, set()).update(values)
    told = {
        part: {respect: ", ".join(sorted(values)) for respect, values in seen.items()}
        for part, seen in found.items()
    }
    if int(os.environ.get("RANK", "0")) == 0:
        sys.stdout.write(f"\nobserved: {json.dumps(told)}\n")
        sys.stdout.flush()


def _install() -> None:
    register_optimizer_step_pre_hook(lambda *_: [watched.steps() for watched in _WATCHED] and None)
    register_optimizer_step_post_hook(_stepped)
    for scaler in (torch.amp.GradScaler, ShardedGradScaler):
        scaler.scale = _scaling(scaler.scale)  # type: ignore[method-assign]
    for name in _REDUCE:
        setattr(dist, name, _reducing(getattr(dist, name)))
    wrapped = nn.parallel.DistributedDataParallel.forward

    @functools.wraps(wrapped)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        # The reducer is C++ and has its buckets in the parameters' dtypes (torch/csrc/distributed/c10d/reducer.cpp).
        for parameter in self.module.parameters():
            if parameter.requires_grad:
                _reduced(parameter)
        return wrapped(self, *args, **kwargs)

    nn.parallel.DistributedDataParallel.forward = forward  # type: ignore[method-assign]


def _scaling(scale: Any) -> Any:
    @functools.wraps(scale)
    def scaling(self: Any, outputs: Any) -> Any:
        if self.is_enabled():
            scales("dynamic")
        return scale(self, outputs)

    return scaling


def _engine() -> None:
    """DeepSpeed scales the loss by itself; it may be imported after the model is made."""
    scaling = sys.modules.get("deepspeed.runtime.fp16.loss_scaler")
    if scaling is None or hasattr(scaling, "watched"):
        return
    scaling.watched = True  # type: ignore[attr-defined]
    base, dynamic = scaling.LossScalerBase, scaling.DynamicLossScaler

    def noting(method: Any) -> Any:
        @functools.wraps(method)
        def scaled(self: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(self, dynamic):
                scales("dynamic")
            elif self.cur_scale != 1:
                scales(f"fixed, {self.cur_scale:g}")
            return method(self, *args, **kwargs)

        return scaled

    base.scale_loss, base.backward = noting(base.scale_loss), noting(base.backward)
    # Without ZeRO the optimizer scales by a configuration of its own.
    config = scaling.LossScaleConfig
    made = config.__init__

    @functools.wraps(made)
    def making(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        if self.use_grad_scaling:
            scales("dynamic" if self.dynamic_loss_scale else f"fixed, {self.cur_scale:g}")

    config.__init__ = making


def _reducing(collective: Any) -> Any:
    @functools.wraps(collective)
    def reducing(*args: Any, **kwargs: Any) -> Any:
        for tensor in _floating((args, kwargs)):
            if tensor.numel() >= _SMALL:
                _reduced(tensor)
        return collective(*args, **kwargs)

    return reducing


def _reduced(tensor: Tensor) -> None:
    for watched in _WATCHED:
        for part, seen in watched.seen.items():
            if not watched.frozen(part):
                seen["reduction"].add(word(tensor.dtype))


def _stepped(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    for state in optimizer.state.values():
        # a quantized state's scales and levels are not what it is kept in (bitsandbytes)
        kept = {name: value for name, value in state.items() if not str(name).startswith(("absmax", "qmap"))}
        for tensor in _floating(kept, also=(torch.uint8, torch.int8)):
            if tensor.numel() > 1:
                for watched in _WATCHED:
                    for part, seen in watched.seen.items():
                        if not watched.frozen(part):
                            seen["optimizer states"].add(word(tensor.dtype))


def _autocast(device: str) -> str:
    kind = "cuda" if device == "meta" else device
    return word(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else "off"


def _floating(value: Any, also: tuple[torch.dtype, ...] = ()) -> Iterable[Tensor]:
    """The floating point tensors in what a model gives back or an optimizer keeps; logits before all else."""
    if isinstance(value, Tensor):
        if value.is_floating_point() or value.dtype in also:
            yield value
        return
    for name in ("logits", "sample"):
        if isinstance(getattr(value, name, None), Tensor):
            yield getattr(value, name)
            return
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    for part in inner:
        yield from _floating(part, also)
