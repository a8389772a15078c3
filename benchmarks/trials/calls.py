"""Which calls are compared: random ones of torch's operator database, one operand's dtype changed at a time."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from miscast.core import machines

BASES = ("float32", "bfloat16", "float16")
CASTS = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "int64", "int32", "bool")
AUTOCAST = (None, "float16", "bfloat16")
MACHINE = os.environ.get("MISCAST_TRIALS", "cpu")
"""The machine to check calls on, set by who starts this process; real ones are made on the device at hand."""
DEVICE = machines.find(MACHINE).device
SAMPLES = 2  # of the database's samples per op and dtype, if all calls are asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One user-level call: `operand` counts the tensors of the sample; None if all are as the database gives them."""

    op: str
    base: str
    sample: int
    autocast: str | None
    operand: int | None = None
    to: str | None = None

    def __str__(self) -> str:
        changed = f", operand {self.operand} as {self.to}" if self.to else ""
        around = f", autocast {self.autocast}" if self.autocast else ""
        return f"{self.op} in {self.base}{changed}{around}, sample {self.sample}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A call with its function and its arguments, flattened; each user of `flat` takes copies.

    `trained` says of each tensor whether it wants a gradient: those that are floating in the sample and in the call
    (an index that is cast to float is no parameter).
    """

    function: Callable[..., Any]
    flat: Sequence[Any]
    spec: Any
    backward: bool
    trained: tuple[bool, ...]


@cache
def operators() -> dict[str, Any]:
    """The operator database by name, a variant's as "name.variant"."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {f"{o.name}.{o.variant_test_name}" if o.variant_test_name else o.name: o for o in op_db}


class Operator:
    """The calls that the samples of one op allow."""

    def __init__(self, name: str, seed: int) -> None:
        """The samples are random too: `seed` repeats them."""
        self.name = name
        self.info = operators()[name]
        self._seed = seed
        self._samples: dict[str, list[tuple[list[Any], Any]]] = {}

    def samples(self, base: str) -> list[tuple[list[Any], Any]]:
        """Flat arguments and tree of each sample of dense tensors; none if the op lacks the dtype."""
        if base not in self._samples:
            self._samples[base] = self._made(base)
        return self._samples[base]

    def _made(self, base: str) -> list[tuple[list[Any], Any]]:
        import torch
        from torch.utils._pytree import tree_flatten

        from op_probe.database import inputs

        dtype = getattr(torch, base)
        if dtype not in self.info.supported_dtypes(DEVICE):
            return []
        torch.manual_seed(random.Random(f"{self._seed} {self.name} {base}").getrandbits(32))
        try:
            made = list(inputs(self.info, "cpu", dtype))
        except Exception:  # noqa: BLE001 - a few ops have no samples in some dtypes
            return []
        trees = [tree_flatten(((s.input, *s.args), s.kwargs)) for s in made]
        return [(flat, spec) for flat, spec in trees if _dense(flat)]

    def drawn(self, count: int) -> list[Call]:
        """Up to `count` different random calls."""
        rng = random.Random(f"{self._seed} {self.name}")
        bases = [base for base in BASES if self.samples(base)]
        found: dict[Call, None] = {}
        for _ in range(count if bases else 0):
            base = rng.choice(bases)
            sample = rng.randrange(len(self.samples(base)))
            found[rng.choice(list(self._changed(base, sample, rng.choice(AUTOCAST))))] = None
        return list(found)

    def all(self) -> Iterator[Call]:
        """Every call of `SAMPLES` samples per dtype."""
        rng = random.Random(f"{self._seed} {self.name}")
        for base in BASES:
            indices = range(len(self.samples(base)))
            for sample in sorted(rng.sample(indices, min(SAMPLES, len(indices)))):
                for autocast in AUTOCAST:
                    yield from self._changed(base, sample, autocast)

    def _changed(self, base: str, sample: int, autocast: str | None) -> Iterator[Call]:
        plain = Call(op=self.name, base=base, sample=sample, autocast=autocast)
        yield plain
        for operand, tensor in enumerate(_tensors(self.samples(base)[sample][0])):
            for to in CASTS:
                if to != str(tensor.dtype)[6:] and not tensor.is_complex():
                    yield Call(op=self.name, base=base, sample=sample, autocast=autocast, operand=operand, to=to)

    def prepared(self, call: Call) -> Prepared:
        """The call, ready to be made."""
        import torch

        sample, spec = self.samples(call.base)[call.sample]
        flat = list(sample)
        if call.to is not None:
            changed = [i for i, t in enumerate(flat) if isinstance(t, torch.Tensor)][call.operand or 0]
            flat[changed] = flat[changed].detach().to(getattr(torch, call.to))
        backward = bool(self.info.supports_autograd)
        pairs = zip(_tensors(sample), _tensors(flat), strict=True)
        trained = tuple(backward and a.is_floating_point() and b.is_floating_point() for a, b in pairs)
        return Prepared(function=self.info.op, flat=flat, spec=spec, backward=backward, trained=trained)


def _tensors(flat: Sequence[Any]) -> list[Any]:
    import torch

    return [t for t in flat if isinstance(t, torch.Tensor)]


def _dense(flat: Sequence[Any]) -> bool:
    import torch

    return all(t.layout is torch.strided and not t.is_nested for t in _tensors(flat))
