"""The language of contracts: what an entry can say of an op. `judge` reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

FLOAT8 = (
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
COMPLEX = ("complex64", "complex128", "complex32")
FULL = ("float32", "float64")
FLOATS = (*FULL, "float16", "bfloat16")
FLOATING = frozenset({*FLOATS, *COMPLEX, *FLOAT8})
INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "bool")
INDEX = ("int64", "int32")
LONG = ("int64",)
ANY_DEVICE = ("cpu", "cuda", "mps", "xpu", "npu")
PYTHON_NUMBER = -1

Texts: TypeAlias = Mapping[tuple[str, ...], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A tensor operand as a contract sees it. List arguments come one by one: `tensors[0]`, `tensors[1]`.

    A Python number among the arguments may be given too, with `dim` -1 and device "meta"; it takes part in promotion
    only.
    """

    name: str
    dtype: str
    device: str
    dim: int

    @property
    def argument(self) -> str:
        """The argument that it belongs to: "tensors" of "tensors[1]"."""
        return self.name.partition("[")[0]

    @property
    def is_number(self) -> bool:
        """True if it is a Python number."""
        return self.dim == PYTHON_NUMBER


def names_of(operands: Iterable[Input]) -> tuple[str, ...]:
    """Return the operands' names."""
    return tuple(operand.name for operand in operands)


def tensors_of(inputs: Iterable[Input]) -> list[Input]:
    """Return the operands that are no Python numbers."""
    return [operand for operand in inputs if not operand.is_number]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The demands of an op. Operands go by the schema's argument names, a list argument without its index.

    Dtypes:
    `same`: groups of operands that must share one dtype; the first of a group that is present is its anchor, the
    operand that the others are cast to (weights before activations: a user does not recast parameters per call).
    `wider`: operands of a group that may all be float32 while the rest is float16 or bfloat16 (norm weights).
    `also`: dtypes that an operand of a group may have instead of its anchor's.
    `unless`: sets of operands; a call that has all of a set is not held to `same` ("self@0": a zero-dimensional
    `self`, "indices@bool": boolean `indices`).
    `only`: dtypes that an operand must have (`indices` int64 or int32), the first being what it is cast to.
    `classes`: (target, input): `target` holds class indices, int64, unless it has as many dimensions as `input`:
    then it holds probabilities, must be floating, and `same` is not demanded.
    `kernels`: the dtypes for which the op is implemented, held against the anchor of the first group.
    `promotes`: the op promotes mixed dtypes as arithmetic does.
    `into`: the operand that takes the promoted result: an integer cannot take a float, nor a float a complex.
    `floats`: the op turns integers into floats (`div`, `exp`) before the result goes `into` an operand.
    `zipped`: list arguments are judged index by index (`_foreach_*`).

    Devices: all on one, except for
    `cpu_scalars`: zero-dimensional CPU tensors may stand beside tensors of another device;
    `maybe_cpu`: operands that may stay on the CPU; `on_cpu`: operands that must be there;
    `any_device`: operands that may live anywhere.

    `by_chip`: the chip decides which kernel runs, and what a newer one accepts an older one need not.
    `attention`: torch chooses the kernel for query, key and value, by their shapes and by the program's switches too.
    `on`, `since`, `until`: kinds of device and torch versions (until excluded) for which the entry holds.
    `errors`: the texts torch raises, in the order in which torch looks: under two operands the text for these two
    differing (a third must be there as well), under one operand the text for its own demand, under "kernels" the text
    for a dtype without a kernel; `error` is the text for anything else. "self@2" means `self` with two dimensions,
    "weight@float32" a float32 `weight`. In a text an operand's name stands for its dtype, "Half"; `{weight.c10}` is
    "c10::Half", `{weight.type}` "torch.cuda.HalfTensor", `{weight.dtype}` "torch.float16"; `{odd}` and `{like}` are
    the two that differ. `device_error` are the texts for operands on different devices, of which the first is taken
    that does not say of all that they agree; `{odd.device}` is "cpu".
    `source`: where the demand stands in torch ("ATen/native/cuda/Blas.cpp addmm_out_cuda_impl") or how it was measured.
    """

    ops: tuple[str, ...]
    same: tuple[tuple[str, ...], ...] = ()
    wider: tuple[str, ...] = ()
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unless: tuple[tuple[str, ...], ...] = ()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes: tuple[str, str] | None = None
    kernels: tuple[str, ...] = ()
    promotes: bool = False
    into: str = ""
    floats: bool = False
    zipped: bool = False
    cpu_scalars: bool = False
    maybe_cpu: tuple[str, ...] = ()
    on_cpu: tuple[str, ...] = ()
    any_device: tuple[str, ...] = ()
    by_chip: bool = False
    attention: bool = False
    on: tuple[str, ...] = ANY_DEVICE
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] = (99, 0)
    error: str = ""
    errors: Texts = field(default_factory=dict)
    device_error: tuple[str, ...] = ()
    source: str = ""

    @property
    def demands(self) -> bool:
        """True if the contract checks dtypes itself, beyond the ops inside a composite op."""
        return bool(
            self.same
            or self.only
            or self.kernels
            or self.classes
            or self.into
            or self.on_cpu
        )

    @property
    def by_dtypes(self) -> bool:
        """True if dtypes and devices alone decide what a call breaks, and neither dimensions nor switches."""
        counted = (
            name.partition("@")[2].isdigit() for name in chain(*self.same, *self.unless)
        )
        return not (self.attention or self.classes or any(counted))

    def holds(self, device: str, torch: tuple[int, int]) -> bool:
        """Check whether the entry speaks of this kind of device and torch version."""
        return device in self.on and self.since <= torch < self.until
