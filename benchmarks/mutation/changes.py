"""The changes that make mutants of a file: one place of its syntax tree each, as mutmut and cosmic-ray choose them.

    >>> [f"{change.before} -> {change.after}" for change in changes(ast.parse("def f(a, b=1): return a < b"))]
    ['1 -> 2', 'a < b -> None', 'a < b -> a <= b']

What no test can notice is left alone: docstrings, annotations, decorators, imports, `__all__`, `__slots__`, what only a
type checker reads, the text of an `assert`, `strict=` of a `zip`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import islice
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Div,
    ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitAnd,
}  # fmt: skip
_NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
_METHODS = {"lower": "upper", "upper": "lower", "lstrip": "rstrip", "rstrip": "lstrip", "find": "rfind",
            "rfind": "find", "ljust": "rjust", "rjust": "ljust", "index": "rindex", "rindex": "index",
            "removeprefix": "removesuffix", "removesuffix": "removeprefix", "partition": "rpartition",
            "rpartition": "partition", "split": "rsplit", "rsplit": "split",
            "startswith": "endswith", "endswith": "startswith"}  # fmt: skip
_UNSEEN = {"annotation", "returns", "decorator_list", "msg", "type_params"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A node to stand in the place of another one, in the function and the statement that it belongs to.

    `owner` and `field` (`index` in it, if it is a list) are that place.
    """

    kind: str
    function: str
    statement: ast.stmt | None
    old: ast.AST
    new: ast.AST
    owner: ast.AST
    field: str
    index: int | None

    @property
    def before(self) -> str:
        """What stands there, as one line."""
        return _line(self.old)

    @property
    def after(self) -> str:
        """What is to stand there."""
        return _line(self.new)

    @property
    def line(self) -> int:
        """Where it stands."""
        return getattr(self.old, "lineno", 0) or getattr(self.statement, "lineno", 0)

    def make(self) -> None:
        """Change the tree."""
        if self.index is None:
            setattr(self.owner, self.field, self.new)
        else:
            getattr(self.owner, self.field)[self.index] = self.new


def mutated(source: str, number: int) -> str:
    """A file after one of its `changes`; its layout is lost, and its comments."""
    tree = ast.parse(source)
    next(islice(changes(tree), number, None)).make()
    return ast.unparse(tree)


def changes(node: ast.AST, function: str = "", statement: ast.stmt | None = None) -> Iterator[Change]:
    """All changes below a node, as the tree of a file, always in the same order."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        function = f"{function}.{node.name}".removeprefix(".")
    for field, value in ast.iter_fields(node):
        if field in _UNSEEN or (field == "keywords" and isinstance(node, ast.ClassDef)):
            continue
        several = isinstance(value, list)
        for index, child in enumerate(value if several else [value]):
            if not isinstance(child, ast.AST) or _is_unseen(child):
                continue
            at = child if isinstance(child, ast.stmt) else statement
            for kind, new in _instead(child):
                yield Change(kind=kind, function=function, statement=at, old=child, new=new, owner=node, field=field,
                             index=index if several else None)  # fmt: skip
            yield from changes(child, function, at)


def _is_unseen(node: ast.AST) -> bool:
    """Whether nothing of a node can be noticed, but that it is there."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.Assign(value=ast.Subscript(value=ast.Name(id="Callable" | "Literal" | "dict" | "list" | "tuple"))):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar"))) | ast.keyword(arg="strict"):
            return True
    return False


@singledispatch
def _instead(_: ast.AST) -> Iterable[tuple[str, ast.AST]]:
    """What may stand in a node's place, each with the kind of change."""
    return ()


@_instead.register
def _(node: ast.Compare) -> Iterable[tuple[str, ast.AST]]:
    for index, op in enumerate(node.ops):
        yield "comparison", _with(node, ops=_put(node.ops, index, _COMPARISONS[type(op)]()))


@_instead.register
def _(node: ast.BoolOp) -> Iterable[tuple[str, ast.AST]]:
    yield "and, or", _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


@_instead.register
def _(node: ast.UnaryOp) -> Iterable[tuple[str, ast.AST]]:
    if isinstance(node.op, ast.Not | ast.USub):
        yield "not" if isinstance(node.op, ast.Not) else "sign", node.operand


@_instead.register
def _(node: ast.BinOp | ast.AugAssign) -> Iterable[tuple[str, ast.AST]]:
    if type(node.op) in _OPERATORS:
        yield "operator", _with(node, op=_OPERATORS[type(node.op)]())


@_instead.register
def _(node: ast.Return) -> Iterable[tuple[str, ast.AST]]:
    if node.value and not _is_none(node.value):
        yield "return", _with(node, value=ast.Constant(None))


@_instead.register
def _(_: ast.Break) -> Iterable[tuple[str, ast.AST]]:
    yield "break, continue", ast.Continue()


@_instead.register
def _(_: ast.Continue) -> Iterable[tuple[str, ast.AST]]:
    yield "break, continue", ast.Break()


@_instead.register
def _(node: ast.If | ast.IfExp | ast.While) -> Iterable[tuple[str, ast.AST]]:
    if not isinstance(node.test, ast.UnaryOp):  # that makes one of its own
        yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), node.test))


@_instead.register
def _(node: ast.comprehension) -> Iterable[tuple[str, ast.AST]]:
    for index in range(len(node.ifs)):
        yield "condition", _with(node, ifs=[*node.ifs[:index], *node.ifs[index + 1 :]])


@_instead.register
def _(node: ast.Constant) -> Iterable[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int | float):
        yield "constant", ast.Constant(value + 1)
    elif isinstance(value, str):
        yield "string", ast.Constant(f"XX{value}XX" if value else "XX")


@_instead.register
def _(node: ast.Call) -> Iterable[tuple[str, ast.AST]]:
    """A name beside the one that is called, and each argument left out, or None."""
    match node.func:
        case ast.Name(id=name) if name in _NAMES:
            yield "name", _with(node, func=ast.Name(_NAMES[name], ast.Load()))
        case ast.Attribute(attr=name) if name in _METHODS:
            yield "name", _with(node, func=_with(node.func, attr=_METHODS[name]))
    for index, argument in enumerate(node.args):
        if not isinstance(argument, ast.Starred) and not _is_none(argument):
            yield "argument", _with(node, args=_put(node.args, index, ast.Constant(None)))
    for index, keyword in enumerate(node.keywords):
        if keyword.arg and keyword.arg != "strict":
            yield "keyword", _with(node, keywords=[*node.keywords[:index], *node.keywords[index + 1 :]])


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _put(nodes: Sequence[Any], index: int, new: ast.AST) -> list[Any]:
    return [*nodes[:index], new, *nodes[index + 1 :]]


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    """The node with other fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _line(node: ast.AST) -> str:
    """A node as one line, cut where a block follows."""
    if isinstance(node, ast.comprehension):
        return ast.unparse(node).strip()
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
    return text.partition("\n")[0] if isinstance(node, ast.stmt) else " ".join(text.split())
