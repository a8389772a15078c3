"""Locate where a value is requested: the source expression that belongs to an instruction.

    if not torch.isfinite(norm):        the frame stands at the jump; the expression is `torch.isfinite(norm)`

Python 3.11 and later know the columns of an instruction. Before, the line is all there is: the test of the statement.
"""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from typing import TYPE_CHECKING

from ...core.failure import is_ours

if TYPE_CHECKING:
    from types import CodeType, FrameType

    Span = tuple[int | None, int | None, int | None, int | None]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_TESTING = (ast.If, ast.While, ast.Assert, ast.IfExp)


class Tree:
    """A file's syntax tree, with the way up from each node."""

    def __init__(self, root: ast.Module) -> None:
        """Walk it once."""
        self.parents: dict[ast.AST, ast.AST] = {}
        self.spans: dict[Span, ast.AST] = {}
        self.tests: dict[int, ast.expr] = {}
        for node in ast.walk(root):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, (ast.expr, ast.stmt)):
                span = (
                    node.lineno,
                    node.end_lineno,
                    node.col_offset,
                    node.end_col_offset,
                )
                # the expression in it has the same span
                if not isinstance(node, ast.Expr):
                    self.spans.setdefault(span, node)
            if isinstance(node, _TESTING):
                for line in range(
                    node.test.lineno, (node.test.end_lineno or node.test.lineno) + 1
                ):
                    self.tests[line] = node.test

    def above(self, node: ast.AST) -> list[ast.AST]:
        """Return the nodes that enclose a node, innermost first, up to its function, included."""
        found = []
        while (up := self.parents.get(node)) is not None:
            found.append(up)
            if isinstance(up, _SCOPES):
                break
            node = up
        return found

    def scope(self, node: ast.AST) -> ast.AST:
        """Return the function, class or file that a node belongs to."""
        return next(reversed(self.above(node)), node)


class Sources:
    """The trees of the files that asked, and the expressions found in them, each worked out once."""

    def __init__(self) -> None:
        self._trees: dict[str, Tree | None] = {}
        self._nodes: dict[tuple[CodeType, int], tuple[Tree, ast.expr] | None] = {}

    def node(self, frame: FrameType) -> tuple[Tree, ast.expr] | None:
        """Return the expression that a frame executes; None if there is no source."""
        key = frame.f_code, frame.f_lasti
        if key not in self._nodes:
            tree = self._tree(frame.f_code.co_filename)
            node = _expression(tree, frame) if tree is not None else None
            self._nodes[key] = (
                (tree, node) if tree is not None and node is not None else None
            )
        return self._nodes[key]

    def _tree(self, file: str) -> Tree | None:
        if file not in self._trees:
            try:
                self._trees[file] = Tree(ast.parse("".join(linecache.getlines(file))))
            except (SyntaxError, ValueError, RecursionError):
                self._trees[file] = None
        return self._trees[file]


def asking_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame that is not Miscast's."""
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _expression(tree: Tree, frame: FrameType) -> ast.expr | None:
    if sys.version_info < (3, 11):
        return _bare(tree.tests.get(frame.f_lineno))
    spans = list(frame.f_code.co_positions())
    at = frame.f_lasti // 2
    # a jump has the span of its statement, or of another test in it: what it asks is before it
    if at and _asks(frame):
        before = tree.spans.get(_span(spans[at - 1]))
        if isinstance(before, ast.expr):
            return _bare(before)
    node = tree.spans.get(_span(spans[at]))
    if isinstance(node, _TESTING):
        node = node.test
    return _bare(node) if isinstance(node, ast.expr) else None


def _asks(frame: FrameType) -> bool:
    name = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return "JUMP" in name or name in ("UNARY_NOT", "TO_BOOL")


def _span(found: tuple[int | None, ...]) -> Span:
    line, end, column, end_column = found
    return line, end, column, end_column


def _bare(node: ast.expr | None) -> ast.expr | None:
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return node
