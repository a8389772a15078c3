"""Which part of the source a frame is at, on every Python: by its instruction, not by its line."""

from __future__ import annotations

import ast
import sys

import pytest

from miscast.vm.provenance.executing_node import executed, executed_by
from sweep import sweep


class Refusing:
    """Every operator fails."""

    def fail(self, *_args, **_kwargs):
        raise ArithmeticError

    __matmul__ = __iadd__ = __setitem__ = __neg__ = __lt__ = __call__ = fail

    def half(self):
        return self


a = b = mm = Refusing()


def called():
    return mm(a, b.half())


def operator():
    return mm(a @ b.half())


def over_several_lines():
    return (
        a.half()
        .fail(b,
              other=b.half())
    )  # fmt: skip


def augmented():
    x = a
    x += b.half()
    return x


def set_item():
    a[0] = b.half()


def compared():
    return b.half() < a


def negative():
    return a.half() + -b.half()


def second_of_a_line():
    x = a.half(); mm(x)  # noqa: E702 - two statements


def in_a_context():
    with mm(a):
        pass


EXPECTED = {
    called: "mm(a, b.half())",
    operator: "a @ b.half()",
    over_several_lines: "a.half().fail(b, other=b.half())",
    augmented: "x += b.half()",
    set_item: "a[0]",
    compared: "b.half() < a",
    negative: "-b.half()",
    second_of_a_line: "mm(x)",
    in_a_context: "mm(a)",
}


@sweep("function", EXPECTED, ids=lambda function: function.__name__)
def test_the_node_that_failed(function):
    with pytest.raises(ArithmeticError) as caught:
        function()
    trace = caught.tb.tb_next
    node, statement = executed(trace)
    assert ast.unparse(node) == EXPECTED[function]
    assert node in [*ast.walk(statement)]
    assert executed(trace).node is node, "the same object every time"
    assert executed_by(trace.tb_frame, trace.tb_lasti) is node


def test_nothing_where_there_is_no_source():
    names = {}
    exec("def f(g): return g()", names)
    found = []
    names["f"](lambda: found.append(executed(sys._getframe(1))))
    assert found == [(None, None)]
