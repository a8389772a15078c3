"""Small programs with one mistake each, by the hundred: factories, what is done with what they make, calls that fail.

    import torch; from torch import nn; F = nn.functional
    a7 = torch.ones(4, 4)                            the birth of an operand
    b7 = torch.cat([a7, a7])                         something that is done with it
    w7 = torch.eye(4, dtype=torch.float16)           what it does not fit
    y7 = F.linear(b7, w7)                            the call that fails

Every name ends in the number of its program, so that many make one script.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = "import torch\nfrom torch import nn\nF = nn.functional\n"
BIRTHS = (
    "torch.ones(4, 4{0})", "torch.zeros(4, 4{0})", "torch.eye(4{0})", "torch.full((4, 4), 0.3{0})",
    "torch.randn(4, 4{0})", "torch.rand(4, 4{0})", "torch.tensor([[0.1, 0.2, 0.3, 0.7]] * 4{0})",
    "torch.linspace(0, 1, 16{0}).reshape(4, 4)", "torch.ones_like(torch.randn(4, 4){0})",
)  # fmt: skip
BETWEEN = (
    (), ("z{n} = a{n} / 3",), ("a{n} = a{n} * 0.7",), ("b{n} = torch.cat([a{n}, a{n}])", "a"),
    ("b{n} = torch.stack([a{n}, w{n}])[0]", "b"), ("b{n} = torch.cat([a{n}, w{n}])", "b"),
    ("b{n} = a{n} + w{n}", "b"), ("b{n} = torch.cat([a{n}, w{n}])", "z{n} = b{n} * 1.7", "b"),
    ("b{n} = a{n}.clone()", "b"), ("s{n} = a{n}.shape[0]", "a"), ("def f{n}(): return a{n} / 3", "z{n} = f{n}()", "a"),
    ("b{n} = a{n}.double()", "z{n} = b{n} / 3", "b"), ("b{n} = a{n}.half()", "b"), ("a{n}.mul_(0.3)", "a"),
)  # fmt: skip
FAILS = (
    "F.linear({x}, w{n})", "{x} @ w{n}", "torch.mm({x}, w{n})", "torch.matmul({x}, w{n})", "m{n}({x})",
    "F.linear({x} * 0.3, w{n})", "torch.inner({x}, w{n})", "F.linear(w{n}, {x})",
)  # fmt: skip
FIRST, SECOND = ("self", "input"), ("weight", "mat2", "other")
DTYPES = ("", "torch.float16", "torch.bfloat16", "torch.float64")


@dataclass(frozen=True)
class Small:
    """One program; its last line fails. `names` are the operands of the call, as they stand on that line."""

    number: int
    lines: tuple[str, ...]
    names: dict[str, str]


def programs(device: str = "") -> Iterator[Small]:
    """All of them; with a device, that is where what the operand does not fit lies."""
    number = itertools.count()
    kinds = itertools.product(BIRTHS, BETWEEN, FAILS, DTYPES, DTYPES)
    for index, (birth, between, fails, have, want) in enumerate(kinds):
        if index % 29 or (have == want and not device) or (device and have != want):
            continue
        if device and any("w{n}" in step for step in between):
            continue  # it would fail there
        n = next(number)
        *steps, name = (*between, "a") if len(between) < 2 else between
        where = f', device="{device}"' if device else ""
        lines = [
            f"a{n} = {birth.format(_dtype(have))}",
            f"w{n} = torch.eye(4{_dtype(want)}{where})",
            *((f"m{n} = nn.Linear(4, 4{_dtype(want)}{where})",) if "m{n}" in fails else ()),
            *(step.format(n=n) for step in steps),
        ]
        used = f"{name}{n}" if any(line.startswith(f"{name}{n} =") for line in lines) else f"a{n}"
        lines.append(f"y{n} = {fails.format(x=used, n=n)}")
        given = (used, f"w{n}") if "(w{n}" not in fails else (f"w{n}", used)
        names = {name: one for one, names in zip(given, (FIRST, SECOND), strict=True) for name in names}
        yield Small(n, tuple(lines), names)


def _dtype(name: str) -> str:
    return f", dtype={name}" if name else ""
