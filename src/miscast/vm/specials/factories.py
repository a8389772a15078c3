"""Tensors are born: on the virtual device asked for, without data, with their value where it is small and known."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from ...running.torch_abi import DispatchKey, graph_task, is_excluded
from ..call import Call
from ..judging.caught_errors import prepared
from ..judging.eager_confirmation import RARE
from ..judging.numbers import NUMBERED, check_generator, check_numbers
from ..judging.op_errors import ERRORS, about_dtypes, no_kernel
from ..provenance import factories
from ..provenance.dtype_references import dtype_source
from ..provenance.origin import Origin, places
from ..provenance.record import Record, attach, device_of, find, is_meta, is_tensor
from ..torch_api.queries.rng import drawing
from ..values.known_storage import tensors_in
from ..values.stand_ins import SMALL
from ..virtualize import is_small, virtualize

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan

_META, _CPU = torch.device("meta"), torch.device("cpu")
_PYTHON = DispatchKey.Python
_EMPTY = frozenset({
    "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "empty_quantized",
})  # fmt: skip
_DRAWN = frozenset(
    {torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64}
)
"""The dtypes in which there are random numbers of any kind."""
_RANDOM = frozenset({
    "rand", "randn", "rand_like", "randn_like", "normal", "randint", "randint_like", "randperm",
})  # fmt: skip
_FILLED = frozenset({"full", "ones", "zeros"})


def make(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return a factory call: rewrite its device to `meta`, run it, label the result."""
    if is_excluded(_PYTHON) and plan.short == "empty" and not d.ambient:
        return _filled(d, plan, args, kwargs)
    call = Call(plan, args, kwargs)
    asked = _device_argument(plan, args, kwargs)
    device = _resolve(d, call, asked)
    generator = kwargs.get("generator")
    check_generator(d.recorder, d.device_type, plan.short, generator, device)
    _ask_for_meta(call)
    try:
        with factories.put_back():
            out = plan.op(*call.args, **call.kwargs)
    except ERRORS as error:
        d.recorder.met(error)
        out = _refused(d, call, device, error)
    if plan.short in NUMBERED and is_tensor(out) and graph_task() == -1:
        call.device = device
        check_numbers(d.recorder, call, out, _name(d, plan, asked))
    for one in tensors_in(out):
        if one.layout is not torch.strided:
            d.recorder.unchecked(plan.name)
        record = attach(one, _record(d, call, one, device))
        _drawn(d, plan, one, record)
        _value(d, call, one, record, generator)
    return out


def _device_argument(plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the device that the call names, where the schema has it by position or as a keyword."""
    if isinstance(plan.device, str):
        return kwargs.get("device")
    if plan.device is not None and plan.device < len(args):
        return args[plan.device]
    return None


def _ask_for_meta(call: Call) -> None:
    """Give a call the arguments with which the op makes a meta tensor."""
    position, given = call.plan.device, dict(call.kwargs)
    if isinstance(position, str):
        given["device"] = _META
    elif position is not None and position < len(call.args):
        call.args = (*call.args[:position], _META, *call.args[position + 1 :])
    for name, plain in (("pin_memory", False), ("generator", None)):
        if given.get(name):
            given[name] = plain
    call.kwargs = given


def _record(
    d: Dispatcher, call: Call, out: torch.Tensor, device: torch.device | None
) -> Record:
    """Return the record of a new tensor; dtype and device come from a like operand, or are created at this line."""
    like = (
        call.records[0] if call.tensors and out.dtype is call.tensors[0].dtype else None
    )
    origin = like.dtype_origin if like is not None else None
    if like is not None and origin is not None and device is like.device:
        return Record(device, origin, like.device_origin)
    taken = None
    if call.kwargs.get("dtype") is not None:
        taken = dtype_source(sys._getframe(1), out.dtype)
    bare = taken.bare if taken is not None else None
    born = Origin(
        "born", f"torch.{call.plan.short}", out.dtype, device, places(), taken, bare
    )
    d.labels.chosen(born, device)
    return Record(device, origin or born, born)


def _filled(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return real memory for a list's numbers, which C++ fills. On `meta` it fills none, so the list is looked up."""
    if kwargs.get("device") == _META:
        known = d.values.indices.asked(args[0])
        if known is None:
            return plan.op(*args, **{**kwargs, "pin_memory": False})
        return known
    # torch.tensor(list) and its kin fill this memory: it must be real. `lift_fresh` makes it virtual.
    return plan.op(*args, **{**kwargs, "device": _CPU, "pin_memory": False})


def _drawn(d: Dispatcher, plan: Plan, out: torch.Tensor, record: Record) -> None:
    """Check numbers on the CPU in a dtype that torch may have no generator for, or cannot fill a tensor with."""
    device = record.device
    name = plan.short.removeprefix("new_").removesuffix("_like")
    # Not `numel()`, which would leave a node in a graph that is traced.
    drawn = (
        (plan.short in _RANDOM or (name in _FILLED and out.dtype in RARE))
        and device is not None
        and device.type == "cpu"
        and out.untyped_storage().nbytes()
    )
    error = "" if not drawn or out.dtype in _DRAWN else _no_numbers(name, out.dtype)
    if error:
        d.recorder.refused(
            plan.short, "out", {"out": out}, "float32", error, kind="unsupported"
        )


@cache
def _no_numbers(name: str, dtype: torch.dtype) -> str:
    """Return torch's error when asked for two numbers; empty if it succeeds."""
    size = {
        "randint": (2, (2,)),
        "randperm": (2,),
        "normal": (0.0, 1.0, (2,)),
        "full": ((2,), 1),
    }.get(name, (2,))
    draws = {} if name in _FILLED else {"generator": torch.Generator()}
    try:
        getattr(torch, name)(*size, dtype=dtype, device="cpu", **draws)
    except (RuntimeError, TypeError, ValueError) as error:
        return next(iter(str(error).splitlines()), "")
    return ""


def _name(d: Dispatcher, plan: Plan, asked: Any) -> str:
    """Return what the program knows the call by: `x[0] = 1.0` makes a tensor of the number first."""
    assigns = (
        plan.short == "scalar_tensor" and asked is not None and asked.type == "meta"
    )
    if assigns and not d.ambient and not d.vm.asked:
        return "Tensor.__setitem__"
    return plan.short


def _resolve(d: Dispatcher, call: Call, asked: Any) -> torch.device | None:
    """Return the virtual device of a new tensor. C++ requests `meta` when it copies the options of an operand."""
    if asked is None:
        return call.device if call.tensors else device_of("cpu")
    if asked.type != "meta":
        return d.indexed(asked)
    if d.vm.asked:
        return d.vm.asked[-1]
    if call.tensors and call.device is not None:
        return call.device
    if d.ambient:
        return d.ambient[-1]
    if call.plan.short == "scalar_tensor":
        return device_of(
            "cpu"
        )  # `x[[0, 2]] = 1`: a single number fits `x` wherever that is
    if graph_task() != -1:
        return None  # autograd's formulas ask for the device they see, not for one they want
    return device_of("meta")


def _value(
    d: Dispatcher, call: Call, out: torch.Tensor, record: Record, generator: Any
) -> None:
    """Keep the value of a small tensor; large ones and parameters-to-be have none."""
    device, name = record.device, call.plan.short
    if device is None or device.type == "meta" or not _has_value(name, out):
        return
    gpu = device.type != "cpu"
    if generator is not None and not gpu:
        call.kwargs = {**call.kwargs, "generator": generator}
    real = _computed(d, call, out.dtype, device)
    if real is None:
        return
    if name in _EMPTY:
        # some dtypes have no kernel for it; torch's stubs leave it out
        real.untyped_storage().fill_(0)  # type: ignore[attr-defined]
    d.values.keep(out, real, assumed=name in _EMPTY or (gpu and name in _RANDOM))


def _computed(
    d: Dispatcher, call: Call, dtype: torch.dtype, device: torch.device
) -> torch.Tensor | None:
    """Return the CPU's result; None if it refuses the call, which is reported unless another check does."""
    name, cpu = call.plan.short, device.type == "cpu"
    try:
        with (
            torch.no_grad(),
            nullcontext()
            if cpu or name not in _RANDOM
            else drawing(d.vm.devices, device),
        ):
            return _on_cpu(call)
    except ERRORS as error:
        d.recorder.met(error)
        news = (
            cpu
            and name not in _EMPTY
            and not call.tensors
            and (name not in _RANDOM or dtype in _DRAWN)
        )
        if news and about_dtypes(error):
            _tell(d, call, dtype, device, error)
        return None


def _on_cpu(call: Call) -> torch.Tensor:
    """Return what the kernel of the CPU makes of the call."""

    def real(a: torch.Tensor) -> torch.Tensor:
        return factories.empty(a.size(), dtype=a.dtype) if is_meta(a) else a

    made: torch.Tensor = call.on_cpu(real)
    return made


def _has_value(name: str, out: torch.Tensor) -> bool:
    """Check whether a factory's numbers are kept: if few enough and, for floating ones, meaningful."""
    if out.layout is not torch.strided or not is_small(out):
        return False
    floating = out.is_floating_point() or out.is_complex()
    return not floating or (out.numel() <= SMALL and name not in _EMPTY)


def _refused(d: Dispatcher, call: Call, device: Any, error: Exception) -> Any:
    """Handle a dtype that the meta kernel refuses. If the real one does too, report it and make float32 instead."""
    dtype = call.kwargs.get("dtype") or next(iter(call.dtypes), None)
    if dtype is None or not about_dtypes(error) or prepared(sys._getframe(1), error):
        raise error
    if device is not None and device.type == "cpu":
        try:
            return torch.empty_like(_on_cpu(call), device=_META)
        except ERRORS as refusal:
            d.recorder.met(refusal)
            error = refusal
    if dtype in _DRAWN or call.plan.short not in _RANDOM:  # else `_drawn` tells of it
        _tell(d, call, dtype, device, error)
    return call.plan.op(*call.args, **{**call.kwargs, "dtype": torch.float32}).to(dtype)


def _tell(
    d: Dispatcher,
    call: Call,
    dtype: torch.dtype,
    device: torch.device | None,
    error: Exception,
) -> None:
    asked = (
        "dtype",
        factories.empty(0, dtype=dtype, device="meta"),
        Record(device, None, None),
    )
    named = call.named() or [asked]
    d.recorder.call(call.plan.short, no_kernel(named[0][0], error), named)


def lift(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the last step of torch.tensor, torch.from_numpy and the like: what they built becomes virtual."""
    tensor = args[0]
    if is_meta(tensor):
        if find(tensor) is None:
            attach(tensor, Record(device_of("meta"), None, None))
        return tensor
    return virtualize(tensor)


SPECIALS = {"empty": make, "lift_fresh": lift, "lift": lift}
