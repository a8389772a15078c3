"""A change is worded by what it writes."""

from __future__ import annotations

import libcst as cst
import pytest

from miscast.fixing.remedy import words
from miscast.fixing.remedy.source import Source


@pytest.mark.parametrize(
    ("line", "old", "new", "told"),
    [
        ("y = net(x)", "x", "x.to(w.dtype)", "cast `x` at a.py:1: .to(w.dtype)"),
        ("y = net(x + 1)", "x + 1", "(x + 1).half()", "cast `x + 1` at a.py:1: .half()"),
        ("y = net(x.float())", "x.float()", "x", "remove `.float()` at a.py:1"),
        ("y = x.float()", "x.float()", "x.to(w.dtype)", "replace `.float()` with `.to(w.dtype)` at a.py:1"),
        ("y = torch.ones(2)", "torch.ones(2)", "torch.ones(2, dtype=d)", "pass dtype=d to `torch.ones` at a.py:1"),
        ("y = x.to(a, b)", "x.to(a, b)", "x.to(a)", "remove `b` at a.py:1"),
        ("y = x.to(a)", "x.to(a)", "x.to(b)", "replace `a` with `b` at a.py:1"),
        ("y = f(x, dtype=a)", "f(x, dtype=a)", "f(x, dtype=b)", "replace `dtype=a` with `dtype=b` at a.py:1"),
        ("y = x.to(a)", "x.to(a)", "x.to(a, b)", "replace `x.to(a)` with `x.to(a, b)` at a.py:1"),
        ("y = f(a, b)", "f(a, b)", "f(a.half(), b.half())", "replace `f(a, b)` with `f(a.half(), b.half())` at a.py:1"),
        ("y = f(-1e9)", "-1e9", "info.min", "replace `-1e9` with `info.min` at a.py:1"),
    ],
)
def test_a_replacement(line, old, new, told):
    source = Source("a.py", f"{line}\n".encode())
    node = next(n for n in source.expressions(1) if source.text(n) == old)
    assert words.replaced(source, node, cst.parse_expression(new), "dtype") == told


def test_a_device_is_moved_to():
    source = Source("a.py", b"y = net(x)\n")
    node = next(n for n in source.expressions(1) if source.text(n) == "x")
    assert words.replaced(source, node, cst.parse_expression('x.to("cuda")'), "device") == (
        'move `x` at a.py:1: .to("cuda")'
    )
