"""The operands that a message lists, where they tell of a mismatch: FakeTensors, or what fits no signature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from ..core.ops import entry
from ..core.regex import regex
from .recognise import Recognised
from .spelling import Value, read_device, read_dtype

_MOST = 12
_FLOATS = ("float", "bfloat", "complex")
_LISTS = regex(r"\(([^()]{1,800})\)")
_SIGNATURES = 40
_REPEATED = regex(r"didn't match because[^\n]{0,800}")
"""Says again, below a signature, what was got."""
_TENSOR = regex(r"torch\.(?:cuda\.|sparse\.)?[A-Z][a-z]{2,8}Tensor")
_NO_TENSORS_HERE = ("NoneType", "Variable", "Parameter")
"""Types that may replace a tensor, or contain one; whether they do is not known."""


def listed(found: Recognised, op: str) -> dict[str, Value]:
    """Return the listed operands by name; none if nothing is listed, or it shows no mismatch."""
    read = _LISTED.get(found.pattern.lists)
    return read(found, op) if read else {}


def fake_operands(text: str, op: str) -> dict[str, Value]:
    """Return the tensors that torch.compile ran an op on, as its error lists them squashed; none where they agree.

        Failed running call_method lerp_(*(FakeTensor(..., device='cuda:0', size=(8, 8), dtype=torch.bfloat16),
        FakeTensor(..., device='cuda:0', size=(8, 8), dtype=torch.bfloat16), FakeTensor(..., size=())), **{}):

    What a FakeTensor does not print is the default: float32, on the CPU.
    """
    fakes = text.split("faketensor(", _MOST + 1)[1 : _MOST + 1]
    known = entry(op).operands or ("self", "other")
    names = (
        *known,
        *(f"operand {number}" for number in range(len(known) + 1, _MOST + 1)),
    )
    told = {
        name: Value(dtype=_dtype(fake), device=_device(fake))
        for name, fake in zip(names, fakes, strict=False)
    }
    dtypes = {
        value.dtype for value in told.values() if str(value.dtype).startswith(_FLOATS)
    }
    devices = {value.device for value in told.values()} - {None}
    return told if len(dtypes) > 1 or len(devices) > 1 else {}


def _dtype(fake: str) -> str:
    _, named, text = fake.partition("dtype=")
    read = read_dtype(text, 0) if named else None
    return (read and read[0].dtype) or "float32"


def _device(fake: str) -> str | None:
    """Return the device; None for a CPU scalar, which may be used with tensors of any device."""
    _, named, text = fake.partition("device=")
    if not named:
        return None if "size=()" in fake else "cpu"
    read = read_device(text, 0)
    return read[0].device if read else None


def misfits(source: str) -> dict[str, Value]:
    """Return the type that was passed for an argument, by its name, and one of the expected types.

        FloatBCECriterion_updateOutput received an invalid combination of arguments - got (int, torch.FloatTensor,
        torch.LongTensor), but expected (int state, torch.FloatTensor input, torch.FloatTensor target)

    So torch before 0.4 listed the types it got and those it takes. Only where a signature has as many arguments, and
    tensors of another type in their places, was it the type; else it was the number or the kind of the arguments.
    """
    got, expected, taken = source[max(source.find("got ("), 0) :].partition("expected")
    given = _LISTS.search(got) if got.startswith("got (") else None
    if given is None or not expected:
        return {}
    signatures = [found[1] for found in _LISTS.finditer(_REPEATED.sub("", taken))][
        :_SIGNATURES
    ]
    fitting = (_odd(_split(given[1]), _split(signature)) for signature in signatures)
    return min((odd for odd in fitting if odd is not None), key=len, default={})


def _split(text: str) -> list[str]:
    return [part.strip(" []!\n*") for part in text.split(",")]


def _odd(given: list[str], taken: list[str]) -> dict[str, Value] | None:
    """Return the tensors of another type than the signature's; None where something else does not fit either."""
    if len(given) != len(taken) or not all(map(_comparable, given, taken)):
        return None
    return dict(chain.from_iterable(map(_pair, range(1, len(given) + 1), given, taken)))


def _comparable(given: str, taken: str) -> bool:
    """Check whether both are tensors or neither is, as far as the text shows."""
    return given.endswith(_NO_TENSORS_HERE) or bool(_TENSOR.search(given)) == bool(
        _TENSOR.search(taken)
    )


def _pair(number: int, given: str, taken: str) -> Iterator[tuple[str, Value]]:
    """Yield what was got in one place and what was expected, where these are tensors of two types."""
    have, want = (_TENSOR.search(part) for part in (given, taken))
    if have and want and have[0] != want[0]:
        found, expected = (read_dtype(tensor[0].lower(), 0) for tensor in (have, want))
        if found and expected:
            yield (
                taken.rpartition(" ")[2] if " " in taken else f"argument {number}",
                found[0],
            )
            yield "expected", expected[0]


_LISTED: Mapping[str, Callable[[Recognised, str], dict[str, Value]]] = {
    "fake tensors": lambda found, op: fake_operands(found.message.text, op),
    "signatures": lambda found, _: misfits(found.message.source),
}
