"""Tensors are born: on the virtual device asked for, without data, with their value where it is small and known."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from ...event import Violation
from ...provenance.dtype_references import dtype_source
from ...provenance.origin import Origin, places
from ...provenance.record import Record, attach, device_of, find, is_meta, is_tensor
from ...torch_private import DispatchKey, graph_task, is_excluded
from ..judging.caught_errors import prepared
from ..judging.generators import check_generator
from ..judging.numbers import NUMBERED, check_numbers
from ..judging.op_errors import ERRORS, about_dtypes, text_of
from ..torch_api.queries.rng import drawing
from ..values.propagation import SMALL
from ..virtualize import is_small, virtualize

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Plan

_META = torch.device("meta")
_PYTHON = DispatchKey.Python
_excluded = is_excluded
_EMPTY = frozenset(
    {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "empty_quantized"}
)
_DRAWN = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64})
"""The dtypes in which there are random numbers of any kind."""
_RANDOM = frozenset({"rand", "randn", "rand_like", "randn_like", "normal", "randint", "randint_like", "randperm"})


def make(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A factory call: rewrite its device to `meta`, run it, label the result."""
    from ..call import Call

    if _excluded(_PYTHON) and plan.short == "empty" and not d.ambient:
        return _filled(d, plan, args, kwargs)
    call = Call(plan, args, kwargs)
    asked = (
        kwargs.get("device")
        if isinstance(plan.device, str)
        else (args[plan.device] if plan.device is not None and plan.device < len(args) else None)
    )
    device = _resolve(d, call, asked)
    generator = kwargs.get("generator")
    check_generator(d.recorder, d.device_type, plan.short, generator, device)
    given = dict(call.kwargs)
    if isinstance(plan.device, str):
        given["device"] = _META
    elif plan.device is not None and plan.device < len(args):
        call.args = tuple(_META if i == plan.device else a for i, a in enumerate(call.args))
    for name, plain in (("pin_memory", False), ("generator", None)):
        if given.get(name):
            given[name] = plain
    try:
        out = plan.op(*call.args, **given)
    except ERRORS as error:
        d.recorder.met(error)
        out = _refused(d, call, device, given, error)
    if plan.short in NUMBERED and is_tensor(out) and graph_task() == -1:
        call.kwargs, call.device = given, device
        check_numbers(d.recorder, call, out, _name(d, plan, asked))
        given = call.kwargs
    for one in out if isinstance(out, (tuple, list)) else (out,):
        if not is_tensor(one):
            continue
        if one.layout is not torch.strided:
            d.recorder.unchecked(plan.name)
        origin = like = None
        if call.tensors and one.dtype is call.tensors[0].dtype:
            like = call.records[0]
            origin = like.dtype_origin
        born = None
        if origin is None or like is None or device is not like.device:
            taken = dtype_source(sys._getframe(1), one.dtype) if given.get("dtype") is not None else None
            bare = taken.bare if taken is not None else None
            born = Origin("born", f"torch.{plan.short}", one.dtype, device, places(), taken, bare)
            d.labels.chosen(born, device)
        record = attach(one, Record(device, origin or born, born or (like.device_origin if like else None)))
        on_cpu = device is not None and device.type == "cpu"
        # Not `numel()`, which would leave a node in a graph that is traced.
        if plan.short in _RANDOM and on_cpu and one.untyped_storage().nbytes():
            _drawn(d, plan, one, record)
        _value(d, call, one, device, generator, given)
    return out


def _filled(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Memory that C++ asks for to put the numbers of a list into. On `meta` it puts none: the list is looked up."""
    if kwargs.get("device") == _META:
        known = d.values.indices.asked(args[0])
        return plan.op(*args, **{**kwargs, "pin_memory": False}) if known is None else known
    # torch.tensor(list) and its kin fill this memory: it must be real. `lift_fresh` makes it virtual.
    return plan.op(*args, **{**kwargs, "device": torch.device("cpu"), "pin_memory": False})


def _drawn(d: Dispatcher, plan: Plan, out: torch.Tensor, record: Record) -> None:
    """Judge random numbers in a dtype that torch may have no generator for."""
    error = None if out.dtype in _DRAWN else _no_numbers(plan.short.removesuffix("_like"), out.dtype)
    if error:
        violation = Violation(kind="unsupported", odd=("out",), expected="float32", error=error)
        d.recorder.call(plan.short, violation, [("out", out, record)])


@cache
def _no_numbers(name: str, dtype: torch.dtype) -> str:
    """What torch says when it is asked for a single one; empty if it gives one."""
    size = {"randint": (2, (1,)), "randperm": (1,), "normal": (0.0, 1.0, (1,))}.get(name, (1,))
    try:
        getattr(torch, name)(*size, dtype=dtype, device="cpu", generator=torch.Generator())
    except (RuntimeError, TypeError, ValueError) as error:
        return next(iter(str(error).splitlines()), "")
    return ""


def _name(d: Dispatcher, plan: Plan, asked: Any) -> str:
    """What the program knows the call by: `x[0] = 1.0` makes a tensor of the number first."""
    assigns = plan.short == "scalar_tensor" and asked is not None and asked.type == "meta"
    return "Tensor.__setitem__" if assigns and not d.ambient and not d.vm.asked else plan.short


def _resolve(d: Dispatcher, call: Any, asked: Any) -> torch.device | None:
    """The virtual device of a new tensor. C++ asks for `meta` when it copies the options of an operand."""
    if asked is None:
        return call.device if call.tensors else device_of("cpu")
    if asked.type != "meta":
        return d.indexed(asked)
    if d.vm.asked:
        return d.vm.asked[-1]
    if call.tensors and call.device is not None:
        return call.device  # type: ignore[no-any-return]
    if d.ambient:
        return d.ambient[-1]
    if call.plan.short == "scalar_tensor":
        return d.last_device  # `x[0] = 1.0`: the number beside the tensor
    if graph_task() != -1:
        return None  # autograd's formulas ask for the device they see, not for one they want
    return device_of("meta")


def _value(  # noqa: PLR0913
    d: Dispatcher, call: Any, out: torch.Tensor, device: torch.device | None, generator: Any, given: dict[str, Any]
) -> None:
    """Keep the value of a small tensor; large ones and parameters-to-be have none."""
    if device is None or device.type == "meta" or out.layout is not torch.strided:
        return
    floating = out.is_floating_point() or out.is_complex()
    name = call.plan.short
    if not is_small(out) or (floating and (out.numel() > SMALL or name in _EMPTY)):
        return
    gpu = device.type != "cpu"
    kwargs = {**given, "device": torch.device("cpu")} if isinstance(call.plan.device, str) else dict(given)
    if generator is not None and not gpu:
        kwargs["generator"] = generator
    args = tuple(torch.device("cpu") if isinstance(a, torch.device) else a for a in call.args)
    args = tuple(_like(a) for a in args)
    try:
        with torch.no_grad(), drawing(d.vm.devices, device) if gpu and name in _RANDOM else nullcontext():
            real = call.plan.op(*args, **kwargs)
    except ERRORS as error:
        d.recorder.met(error)
        judged = name in _EMPTY or (name in _RANDOM and out.dtype not in _DRAWN)
        if not (judged or gpu or call.tensors) and about_dtypes(error):
            _tell(d, call, out.dtype, device, error)
        return
    if name in _EMPTY:
        real.zero_()
    d.values.keep(out, real, assumed=(name in _RANDOM and gpu) or name in _EMPTY)


def _refused(d: Dispatcher, call: Any, device: Any, given: dict[str, Any], error: Exception) -> Any:
    """A dtype that the meta kernel does not make. Unless the real one does: told, and made of float32 instead."""
    dtype = given.get("dtype") or (call.dtypes[0] if call.dtypes else None)
    if dtype is None or not about_dtypes(error) or prepared(sys._getframe(1), error):
        raise error
    if device is not None and device.type == "cpu":
        try:
            real = call.plan.op(*map(_like, call.args), **{**given, "device": torch.device("cpu")})
            return torch.empty_like(real, device=_META)
        except ERRORS as refusal:
            d.recorder.met(refusal)
            error = refusal
    if dtype in _DRAWN or call.plan.short not in _RANDOM:  # else `_drawn` tells of it
        _tell(d, call, dtype, device, error)
    return call.plan.op(*call.args, **{**given, "dtype": torch.float32}).to(dtype)


def _tell(d: Dispatcher, call: Any, dtype: torch.dtype, device: torch.device | None, error: Exception) -> None:
    asked = ("dtype", torch.empty(0, dtype=dtype, device="meta"), Record(device, None, None))
    named = call.named() or [asked]
    text, raised = text_of(error), type(error).__name__
    violation = Violation(kind="unsupported", odd=(named[0][0],), expected="float32", error=text, raises=raised)
    d.recorder.call(call.plan.short, violation, named)


def _like(a: Any) -> Any:
    return torch.empty(a.size(), dtype=a.dtype) if is_tensor(a) and is_meta(a) else a


def lift(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The last step of torch.tensor, torch.from_numpy and the like: what they built becomes virtual."""
    tensor = args[0]
    if is_meta(tensor):
        if find(tensor) is None:
            attach(tensor, Record(device_of("meta"), None, None))
        return tensor
    return virtualize(tensor)


SPECIALS = {"empty": make, "lift_fresh": lift, "lift": lift}
