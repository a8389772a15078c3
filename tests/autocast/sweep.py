"""Whole calls of torch's operator database under autocast: what torch makes of them, and what `miscast.check` says.

On cpu torch is real. For cuda its autocast kernels run on fake tensors: result dtypes can be compared, refusals cannot
(fake kernels look at few dtypes). Miscast sees what a user would hand it: Python functions and tensors.
"""

from __future__ import annotations

import contextlib
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

import miscast

from .measure import torch_autocast

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
I64, F8 = torch.int64, torch.float8_e4m3fn
PAIRS = ((F32, F32), (F16, F16), (BF16, BF16), (F64, F64), (F16, F32), (F32, BF16), (F64, F16), (I64, F32))
MACHINES = {"cpu": "cpu", "cuda": "h100"}
RAISES = "raises"
# They walk files, compile kernels, or hand memory out that nobody wrote: not about dtypes.
LEFT_OUT = ("jiterator", "sparse", "to_sparse")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One call: `function(*args, **kwargs)`, `dtypes` those of its floating tensors, in order."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    dtypes: tuple[torch.dtype, ...]
    numbers_on_cpu: bool = False

    def __str__(self) -> str:
        """`linalg.pinv(float16, float32)`, and what else was given."""
        rest = [_told(a) for a in self.args] + [f"{k}={_told(v)}" for k, v in self.kwargs.items()]
        return f"{self.name}({', '.join(rest)})"


def _told(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype)[6:]}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_told, value))}]"
    return repr(value)


def drawn(each: int, among: int, rng: random.Random, *, in_places: float = 0.0, only: str = "") -> Iterator[Sample]:
    """Of each entry of the database, `each` of its first `among` samples, in float32 if it can, so many in place."""
    for entry in op_db:
        if any(part in entry.name for part in LEFT_OUT) or not entry.name.startswith(only):
            continue
        base = F32 if F32 in entry.dtypes or not entry.dtypes else min(entry.dtypes, key=str)
        torch.manual_seed(rng.randrange(1 << 30))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = list(islice(entry.sample_inputs_func(entry, "cpu", base, False), among))
        name = entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else "")
        for sample in made if each >= len(made) else rng.sample(made, each):
            args = (sample.input, *sample.args)
            in_place = entry.inplace_variant is not None and rng.random() < in_places
            function, suffix = (entry.inplace_variant, "_") if in_place else (entry.op, "")
            yield Sample(name=name + suffix, function=function, args=args, kwargs=sample.kwargs, dtypes=())


def paired(sample: Sample, first: torch.dtype, others: torch.dtype) -> Sample:
    """The first floating tensor in one dtype, the others in another."""
    count = sum(isinstance(t, torch.Tensor) and t.is_floating_point() for t in _leaves(sample))
    return retyped(sample, (first, *[others] * (count - 1)) if count else ())


def shuffled(sample: Sample, rng: random.Random) -> Sample:
    """Every floating tensor in some dtype, mostly one of two."""
    few = rng.sample([F16, BF16, F32, F32, F64], 2)
    pool = [*few * 4, rng.choice((I64, F8))] if rng.random() < 0.2 else few
    count = sum(isinstance(t, torch.Tensor) and t.is_floating_point() for t in _leaves(sample))
    made = retyped(sample, tuple(rng.choice(pool) for _ in range(count)))
    return replace(made, numbers_on_cpu=rng.random() < 0.25)


def retyped(sample: Sample, dtypes: tuple[torch.dtype, ...]) -> Sample:
    """The floating tensors in these dtypes, in order."""
    leaves, spec = tree_flatten((sample.args, sample.kwargs))
    left = iter(dtypes)
    made = [t.to(next(left)) if isinstance(t, torch.Tensor) and t.is_floating_point() else t for t in leaves]
    args, kwargs = tree_unflatten(made, spec)
    return replace(sample, args=args, kwargs=kwargs, dtypes=dtypes)


def _leaves(sample: Sample) -> list[Any]:
    return list(tree_flatten((sample.args, sample.kwargs))[0])


def _here(sample: Sample, place: Callable[[torch.Tensor], torch.Tensor], device: str) -> tuple[Any, Any]:
    """Arguments of their own for one call, on the device."""
    leaves, spec = tree_flatten((sample.args, sample.kwargs))
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            leaves[i] = leaf.clone() if sample.numbers_on_cpu and not leaf.dim() else place(leaf)
        elif isinstance(leaf, torch.device) or (isinstance(leaf, str) and leaf == "cpu"):
            leaves[i] = torch.device(device) if isinstance(leaf, torch.device) else device
    args, kwargs = tree_unflatten(leaves, spec)
    return args, kwargs


def _outcome(call: Callable[[], Any]) -> tuple[str, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            leaves = tree_flatten(call())[0]
        except Exception as error:  # noqa: BLE001 - the error is the outcome
            return RAISES, f"{type(error).__name__}: {error}".split("\n", 1)[0]
    return tuple(str(leaf.dtype)[6:] for leaf in leaves if isinstance(leaf, torch.Tensor))


def by_torch(samples: Sequence[Sample], device: str, compute: torch.dtype | None) -> list[tuple[str, ...]]:
    """Result dtypes of each call, or ("raises", why), under torch's own autocast (None: without)."""

    def one(sample: Sample) -> tuple[str, ...]:
        fake = FakeTensorMode(allow_non_fake_inputs=True) if device != "cpu" else contextlib.nullcontext()
        region = torch_autocast(device, compute) if compute else contextlib.nullcontext()
        with fake:
            args, kwargs = _here(sample, torch.clone if device == "cpu" else _fake, device)
            with region:
                return _outcome(lambda: sample.function(*args, **kwargs))

    return [one(sample) for sample in samples]


def _fake(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cuda")


def by_miscast(samples: Sequence[Sample], device: str, compute: torch.dtype | None) -> list[tuple[str, ...]]:
    """As `by_torch`; ("raises", why) where the program failed, or `check` reported an error at that call."""
    outcomes: list[tuple[str, ...]] = []

    def program(arguments: Any) -> None:
        for number, (sample, given) in enumerate(zip(samples, arguments, strict=True)):
            one = replace(sample, args=given[0], kwargs=given[1])
            args, kwargs = _here(one, lambda t: t.to(device) if device != "cpu" else t.clone(), device)
            region = torch.autocast(device, compute) if compute else contextlib.nullcontext()
            namespace = {"function": sample.function, "args": args, "kwargs": kwargs}
            # A line of its own for each call tells whose a finding is.
            code = compile("\n" * number + "result = lambda: function(*args, **kwargs)", "/program/calls.py", "exec")
            exec(code, namespace)
            with region:
                outcomes.append(_outcome(namespace["result"]))

    report = miscast.check(program, [(s.args, s.kwargs) for s in samples], machine=MACHINES[device])
    assert report.ended is None, report.ended
    found: dict[int, str] = {}
    for finding in report.findings:
        if finding.severity == "error":
            found.setdefault(finding.location.line, f"{finding.rule}: {finding.message} | {finding.error}")
    return [(RAISES, found[line]) if line in found else out for line, out in enumerate(outcomes, 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A call that torch and `check` judge differently under autocast."""

    sample: Sample
    compute: torch.dtype
    torch: tuple[str, ...]
    miscast: tuple[str, ...]
    also_without: bool
    """Whether they differ without autocast too: then it is not autocast's."""

    def __str__(self) -> str:
        """One line."""
        also = " (also without autocast)" if self.also_without else ""
        return f"{self.sample} under {str(self.compute)[6:]}: torch {self.torch}, miscast {self.miscast}{also}"


def differ(device: str, torchs: tuple[str, ...], ours: tuple[str, ...]) -> bool:
    """On cpu, whether one refuses and the other does not, or dtypes differ; elsewhere where fake tensors can tell."""
    if device == "cpu":
        return torchs != ours if RAISES not in (torchs[:1] + ours[:1]) else torchs[:1] != ours[:1]
    return torchs[:1] != (RAISES,) and torchs != ours


def disagreements(samples: Sequence[Sample], device: str, compute: torch.dtype) -> tuple[int, list[Disagreement]]:
    """How many calls could be compared, and those on which there is no agreement."""
    theirs, ours = by_torch(samples, device, compute), by_miscast(samples, device, compute)
    judged = sum(device == "cpu" or t[:1] != (RAISES,) for t in theirs)
    odd = [i for i, (t, o) in enumerate(zip(theirs, ours, strict=True)) if differ(device, t, o)]
    those = [samples[i] for i in odd]
    bare = zip(by_torch(those, device, None), by_miscast(those, device, None), strict=True)
    return judged, [
        Disagreement(
            sample=samples[i], compute=compute, torch=theirs[i], miscast=ours[i], also_without=differ(device, *without)
        )
        for i, without in zip(odd, bare, strict=True)
    ]
