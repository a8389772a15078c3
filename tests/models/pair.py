"""Two components of a model, each in a dtype of its own: run for real, run on a virtual machine, and both compared."""

from __future__ import annotations

import contextlib
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch
from torch import nn

from miscast.core.event import Call, TensorMeta, Trace
from miscast.core.machines import find
from miscast.running.program.run import describe, run_callable
from miscast.vm.provenance.origin import TORCH, kind_of

Outputs = Mapping[str, Any]
DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
SIGNS = ("dtype", "scalar type", "ScalarType", "not implemented for", "bias type", "weight type", "FP16")
MODES = ("train", "no_grad", "inference_mode")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two components that meet in one program.

    `models()` builds both in float32; the second may be a part of the first, and is cast after it. `run(first, second,
    device)` is the user's code: its result's tensors are compared, and `"loss"` is trained on. `train=False` for
    programs that cannot be trained (sampling).
    """

    name: str
    models: Callable[[], tuple[nn.Module, nn.Module]]
    run: Callable[[Any, Any, str], Outputs]
    train: bool = True


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the 9 x 2 x 3 ways in which a pair is run."""

    first: str
    second: str
    autocast: str | None
    mode: str

    def __str__(self) -> str:
        autocast = self.autocast and f"autocast_{self.autocast}"
        return "-".join(filter(None, (self.first, self.second, autocast, self.mode)))

    @property
    def uniform(self) -> bool:
        """Whether a sound program looks like this: one dtype, or one half dtype beside float32 under autocast."""
        return self.first == self.second and not (self.autocast and self.first not in ("fp32", self.autocast))


VARIANTS = tuple(
    Variant(first, second, autocast, mode)
    for autocast, mode, first, second in product((None, "bf16"), MODES, DTYPES, DTYPES)
)


def program(pair: Pair, variant: Variant, device: str = "cpu") -> dict[str, Any]:
    """The whole program: build, cast, run, and in training the loss, its gradients and an optimizer's step."""
    torch.manual_seed(0)
    first, second = pair.models()
    first.to(device, DTYPES[variant.first])
    second.to(device, DTYPES[variant.second])
    training = variant.mode == "train"
    first.train(training)
    second.train(training)
    with contextlib.ExitStack() as stack:
        if variant.mode != "train":
            stack.enter_context(getattr(torch, variant.mode)())
        if variant.autocast:
            stack.enter_context(torch.autocast(device, DTYPES[variant.autocast]))
        outputs = pair.run(first, second, device)
    if not training:
        return {"outputs": outputs}
    parameters = {**dict(first.named_parameters("first")), **dict(second.named_parameters("second"))}
    trained = {id(p): p for p in parameters.values() if p.requires_grad}
    optimizer = torch.optim.AdamW(trained.values(), lr=1e-4)
    outputs["loss"].backward()
    gradients = {name: p.grad for name, p in parameters.items()}
    torch.nn.utils.clip_grad_norm_(trained.values(), 1.0, foreach=False)
    optimizer.step()
    state = [dict(optimizer.state[p]) for p in trained.values()]
    return {"outputs": outputs, "gradients": gradients, "parameters": parameters, "state": state}


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """What eager torch did: the result as plain data, or its error and the line outside torch that ran into it."""

    result: Any = None
    error: str | None = None
    place: tuple[str, int] | None = None

    @property
    def about_dtype(self) -> bool:
        """Whether the error is one that Miscast is there to find."""
        return any(sign in (self.error or "") for sign in SIGNS)


def really(fn: Callable[[], Any]) -> Real:
    """Run for real on the CPU."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Real(result=described(fn()))
    except (RuntimeError, ValueError, TypeError, NotImplementedError, IndexError, AttributeError) as error:
        frames = [(f.f_code, line) for f, line in traceback.walk_tb(error.__traceback__)]
        code, line = next((code, line) for code, line in reversed(frames) if kind_of(code) != TORCH)
        return Real(error=f"{type(error).__name__}: {error}", place=(code.co_filename, line))


def virtually(fn: Callable[[], Any], machine: str = "cpu") -> tuple[Trace, Any]:
    """Run on a virtual machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace, result = run_callable(lambda: described(fn()), (), {}, find(machine))
    return trace, result


def described(tree: Any) -> Any:
    """Dtype and shape of every tensor, by its path; shapes and numbers that hang on values are left out."""
    return {path: meta.dtype for path, meta in _leaves(describe(tree), "")}


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, TensorMeta]]:
    if isinstance(tree, TensorMeta):
        yield path, tree
    elif isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _leaves(value, f"{path}.{key}")
    elif isinstance(tree, (list, tuple)):
        for i, value in enumerate(tree):
            yield from _leaves(value, f"{path}[{i}]")


def findings(trace: Trace) -> list[Call]:
    """The calls that torch would have refused, in the order in which they were met."""
    return [call for call in trace.calls if not call.hidden and call.violation.kind != "lossy"]


def disagreement(real: Real, trace: Trace, result: Any) -> str | None:
    """In what the virtual machine differs from real torch; None if they agree."""
    found = findings(trace)
    if real.error is not None and not real.about_dtype:
        text = real.error.splitlines()[0][:60]
        return None if trace.ended and text in trace.ended else f"torch raised {real.error[:200]}; here {_told(trace)}"
    if real.error is not None:
        if not found:
            return f"missed: torch raised {real.error[:300]} at {real.place}; here {_told(trace)}"
        place = found[0].library or found[0].location
        if (place.file, place.line) != real.place:
            return f"torch raised {real.error[:200]} at {real.place}; here {_told(trace)}"
        return None
    if found or trace.ended:
        return f"false alarm: torch runs; here {_told(trace)}"
    wrong = {path: (dtype, result.get(path)) for path, dtype in real.result.items() if result.get(path) != dtype}
    wrong |= {path: (None, dtype) for path, dtype in result.items() if path not in real.result}
    return f"dtypes (torch, here): {dict(list(wrong.items())[:8])}" if wrong else None


def _told(trace: Trace) -> str:
    calls = [
        f"{c.op} {c.phase} at {(c.library or c.location).file}:{(c.library or c.location).line} ({c.violation.error}; "
        + ", ".join(f"{o.name}={o.tensor.dtype}" for o in c.operands[:6])
        + ")"
        for c in findings(trace)[:2]
    ]
    return f"{'; '.join(calls) or 'nothing'}" + (f", ended: {trace.ended}" if trace.ended else "")
