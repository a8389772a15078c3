"""Find the call, operator or item that a frame is at, by the instruction where it stopped.

    y = torch.mm(a, b.half())      the frame stands in `mm`: the node of `torch.mm(a, b.half())`

`executing` knows it on every Python, also before 3.11, whose code has no columns. Where it does not, as in an `assert`
that pytest has rewritten, only the statement is known. No torch.
"""

from __future__ import annotations

import ast
import dis
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from executing import Source

from ...core.syntax import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType


class Executed(NamedTuple):
    """The executed node and its statement. Each is None if it is unknown; the statement also if there may be several.

    Nodes of one file are those of `tree_of`, the same objects every time.
    """

    node: ast.AST | None
    statement: ast.stmt | None


def executed(at: FrameType | TracebackType) -> Executed:
    """Return what a frame is at, or was when an exception passed through it."""
    found = Source.executing(at)
    statements = list(found.statements or ())
    statement = statements[0] if len(statements) == 1 else None
    augmented = (
        found.node is None and isinstance(statement, ast.AugAssign) and _is_in_place(at)
    )
    return Executed(statement if augmented else found.node, statement)


def _is_in_place(at: FrameType | TracebackType) -> bool:
    """Check whether a frame is at the operator of `x += y`, which has instructions of its own before Python 3.11."""
    frame, instruction = (
        (at.tb_frame, at.tb_lasti)
        if isinstance(at, TracebackType)
        else (at, at.f_lasti)
    )
    return dis.opname[frame.f_code.co_code[instruction]].startswith("INPLACE_")


def executed_by(frame: FrameType, instruction: int) -> ast.AST | None:
    """Return what an instruction of a frame's code executes, the frame may have gone on since."""
    line = line_of(frame.f_code, instruction)
    return executed(TracebackType(None, frame, instruction, line)).node


def line_of(code: CodeType, instruction: int) -> int:
    """Return the line of an instruction; that of the function where it has none."""
    spans = code.co_lines()
    line = next(
        (number for start, stop, number in spans if start <= instruction < stop), None
    )
    return line or code.co_firstlineno


def tree_of(file: str) -> ast.Module | None:
    """Return the tree of a file as tracebacks see it; None if it is not Python."""
    return Source.for_filename(file).tree


def definition(
    tree: ast.Module, code: CodeType
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the source's function that was compiled to some code, whose first line is that of its first decorator."""
    functions: Iterator[ast.FunctionDef | ast.AsyncFunctionDef] = nodes_of(
        tree, ast.FunctionDef, ast.AsyncFunctionDef
    )
    named = (node for node in functions if node.name == code.co_name)
    return next(
        (node for node in named if code.co_firstlineno == _first_line(node)), None
    )


def _first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min(
        [function.lineno, *(decorator.lineno for decorator in function.decorator_list)]
    )
