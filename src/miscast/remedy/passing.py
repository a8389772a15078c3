"""Whether the operand of a call that failed is the very tensor that an event made, or was computed from it since.

    x = torch.randn(2, 8)        the operand of net(x) is what randn made
    h = encoder(x)               that of net(h) is not: encoder meets what randn makes, too

Read off the lines that the trace tells of, and off the file where that can be read; no code runs.
"""

from __future__ import annotations

import ast

from ..cause import Cause
from ..event import Call, Event, Location
from ..syntax import parsed_file
from .line import parse, parts, target

_COPIES = frozenset(
    {
        "cat",
        "concat",
        "concatenate",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "column_stack",
    }
)
_LEAVES = frozenset(
    {
        "linear",
        "bilinear",
        "embedding",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "layer_norm",
        "group_norm",
        "batch_norm",
        "rms_norm",
    }
)
"""Ops that are all that the module of their name does first."""
_OF_SHAPE = frozenset(
    {
        "shape",
        "dtype",
        "device",
        "ndim",
        "size",
        "dim",
        "numel",
        "stride",
        "is_cuda",
        "layout",
    }
)
_SAME = frozenset(
    {
        "to",
        "type",
        "type_as",
        "cuda",
        "cpu",
        "float",
        "half",
        "double",
        "bfloat16",
        "contiguous",
        "clone",
        "detach",
        "requires_grad_",
        "view",
        "reshape",
        "unsqueeze",
        "squeeze",
        "data",
    }
)
_LIBRARIES = frozenset(
    {
        "torch",
        "F",
        "nn.functional",
        "torch.nn.functional",
        "torch.linalg",
        "torch.special",
    }
)
_FOREIGN = frozenset(
    {
        "torch",
        "F",
        "print",
        "len",
        "type",
        "str",
        "float",
        "int",
        "isinstance",
        "np",
        "math",
    }
)
_ORDER = {"self": 0, "input": 0, "query": 0, "other": 1, "mat2": 1}
_OPERATORS = {"matmul": ast.MatMult, "mm": ast.MatMult, "bmm": ast.MatMult}


def itself(call: Call, cause: Cause, event: Event) -> bool | None:
    """Whether the blamed operand is what an event made; None where no line tells."""
    place = event.location
    if place is None:
        return None
    if _met_before(call, place):
        return False
    used = _call_that_failed(call)
    given = _operands(used, call, cause.blamed.name) if used is not None else []
    if given and all(_computes(argument, event) for argument in given):
        return False
    if _is(place, call.location):
        return _goes_into(parse(place.code), event, _names(call))
    held = [line for name, line in call.held if name == cause.blamed.name]
    if held:
        return _is(held[0], place) and not _computes(_value(place.code), event)
    if any(_is(place, caller) for caller in call.callers):
        return _goes_into(parse(place.code), event, _names(call))
    name = target(place.code)
    return True if name and name in map(ast.unparse, given) else None


def _met_before(call: Call, made: Location) -> bool:
    """Whether a module or a function of the program's meets the name that a line sets, before the call that failed."""
    here = (call.location, *call.callers)
    until = next(
        (
            place.line
            for place in here
            if (place.file, place.function) == (made.file, made.function)
        ),
        0,
    )
    name = target(made.code)
    for node in ast.walk(parsed_file(made.file) or ast.Pass()) if name else ():
        if isinstance(node, ast.Call) and made.line < node.lineno < until:
            handed = {ast.unparse(argument) for argument in parts(node)}
            if (
                name in handed
                and ast.unparse(node.func).partition(".")[0] not in _FOREIGN
            ):
                return True
    return False


def alone(
    op: str,
    failed: Location,
    made: Location,
    factory: str,
    tree: ast.Module | None = None,
) -> bool:
    """Whether it is certain that nothing computes with what `factory` made at a line but the call of `op` that failed.

    Copies of it (`torch.cat`) may be what goes there; a reader of its shape or dtype sees no number. `tree` is that of
    the file, if it is not what lies on the disk.
    """
    tree = parsed_file(made.file) if tree is None else tree
    if tree is None or made.file != failed.file:
        return False
    return _Readers(tree, op, failed).only(made.line, factory)


class _Readers:
    """Who reads the names of a file."""

    def __init__(self, tree: ast.Module, op: str, failed: Location) -> None:
        self.tree, self.op, self.line, self.names = (
            tree,
            op,
            failed.line,
            called_as(op, failed),
        )
        self.parents = {
            child: node
            for node in ast.walk(tree)
            for child in ast.iter_child_nodes(node)
        }

    def only(self, line: int, op: str) -> bool:
        """Whether what a line's call of `op` makes is read by the call that failed, itself or as a copy, alone."""
        made = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call)
            and node.lineno == line
            and _called(node) == op
        ]
        return len(made) == 1 and self._harmless(made[0])

    def _harmless(self, value: ast.expr) -> bool:
        """Whether the value of an expression goes where nothing but the call that failed computes with it."""
        parent = self.parents.get(value)
        if (
            isinstance(parent, ast.Assign)
            and parent.value is value
            and len(parent.targets) == 1
        ):
            name = parent.targets[0]
            return isinstance(name, ast.Name) and self._read_harmlessly(name.id)
        if isinstance(parent, (ast.List, ast.Tuple)):
            value, parent = parent, self.parents.get(parent)
        if isinstance(parent, ast.Attribute):
            return parent.attr in _OF_SHAPE
        if isinstance(parent, ast.keyword):
            parent = self.parents.get(parent)
        if isinstance(parent, ast.BinOp):
            return parent.lineno == self.line and isinstance(
                parent.op, _OPERATORS.get(self.op, ast.Pow)
            )
        if not isinstance(parent, ast.Call) or parent.func is value:
            return False
        if parent.lineno == self.line and _called(parent) in self.names:
            return True
        return _called(parent) in _COPIES and self._harmless(parent)

    def _read_harmlessly(self, name: str) -> bool:
        found = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name) and node.id == name
        ]
        told = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.Global, ast.Nonlocal))
        ]
        if sum(not isinstance(node.ctx, ast.Load) for node in found) != 1 or any(
            name in node.names for node in told
        ):
            return False
        return all(
            self._harmless(node) for node in found if isinstance(node.ctx, ast.Load)
        )


def called_as(op: str, failed: Location) -> set[str]:
    """The names by which a line calls what fails at once: the op's, or that of a module which is but this op."""
    own = (failed.module or "").rpartition(".")[2]
    return {op, own} if op in _LEAVES else {op}


def _names(call: Call) -> set[str]:
    """All names by which lines may call what led to the failure."""
    functions = {place.function for place in (call.location, *call.callers)}
    return {
        call.op,
        "forward",
        "self",
        *(call.location.module or "").replace("[", ".").split("."),
        *functions,
    }


def _call_that_failed(call: Call) -> ast.expr | None:
    """Where it stands on its line: the call of the op, or of the module that is at work."""
    tree = parse(call.location.code)
    own = (call.location.module or "").rpartition(".")[2]
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and _called(node) in (call.op, own):
            return node
        if isinstance(node, ast.BinOp) and isinstance(
            node.op, _OPERATORS.get(call.op, ast.Pow)
        ):
            return node
    return None


def _operands(used: ast.expr, call: Call, name: str) -> list[ast.expr]:
    """The arguments of the call that failed which may be the operand of a name: the first and the second are known."""
    found = list(parts(used))
    if isinstance(used, ast.Call) and isinstance(used.func, ast.Attribute):
        own = (call.location.module or "").rpartition(".")[2]
        if used.func.attr != own and ast.unparse(used.func.value) not in _LIBRARIES:
            found.insert(0, used.func.value)
    index = _ORDER.get(name, -1)
    return found[index : index + 1] if 0 <= index < len(found) else found


def _goes_into(tree: ast.AST | None, event: Event, names: set[str]) -> bool | None:
    """Whether the call that made a tensor stands as it is among the arguments of a call of one of these names."""
    parents = (
        {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        if tree
        else {}
    )
    node = next((n for n in parents if _makes(n, event)), None)
    while node is not None:
        above = parents.get(node)
        if isinstance(above, ast.Call) and above.func is not node:
            return _called(above) in names
        if isinstance(above, ast.Attribute) and above.attr not in _SAME:
            return False
        if isinstance(above, ast.BinOp):
            return None
        node = above
    return None


def _computes(value: ast.AST | None, event: Event) -> bool:
    """Whether an expression is a call of another's: neither what made the tensor nor what hands it on as it is."""
    while isinstance(value, ast.Call):
        if _makes(value, event):
            return False
        if not isinstance(value.func, ast.Attribute) or value.func.attr not in _SAME:
            return True
        value = value.func.value
    return isinstance(value, ast.BinOp)


def _makes(node: ast.AST, event: Event) -> bool:
    """Whether a node is the call that an event tells of: casts and moves go by many names."""
    if not isinstance(node, ast.Call):
        return False
    name = _called(node)
    if event.kind in ("cast", "moved"):
        return name in _SAME
    return name == event.op.rpartition(".")[2] or (
        event.kind in ("loaded", "given") and name[:1].islower()
    )


def _called(node: ast.Call) -> str:
    func: ast.expr = node.func
    while isinstance(func, ast.Subscript):
        func = func.value
    return (
        func.attr
        if isinstance(func, ast.Attribute)
        else func.id
        if isinstance(func, ast.Name)
        else ""
    )


def _value(code: str) -> ast.AST | None:
    return getattr(parse(code), "value", None)


def _is(one: Location, other: Location) -> bool:
    return (one.file, one.line) == (other.file, other.line)
