"""What hangs on an answer that the program asks for: whether something is raised, whether a loop goes on.

assert mask.any()                       True is safe
if kl > 1.5 * target: break             True leaves the loop
n = mask.sum().item(); assert n > 0     a number is safe that is above 0
return (new == old).all()               the caller's line decides
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .branches import endless, escapes, last_name, raises, skips, stops_after
from .data_flow import used

if TYPE_CHECKING:
    from .asked_expression import Tree

_SAME = {"bool", "all", "any", "float", "int", "abs"}  # what gives the truth, or the number, that it is given
_READS = {"item", "all", "any", "bool", "cpu", "detach", "float", "double", "long", "tolist"}
_ASSERTS = ("_assert", "assertTrue", "assert_")


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison in which a number takes part, and the truth of it that is safe, and that leaves the loop."""

    compare: ast.Compare
    operand: ast.expr
    safe: bool | None
    leaves: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge:
    """`safe` raises nothing, `leaves` ends the loop, `skips` goes on with its next round: each True, False or None.

    `fresh` says that the loop's body cannot know what was asked: it has no name. `bounded` that the loop ends anyway.
    `returned` tells that the line of the caller decides, by the opposite answer if `flipped`.
    """

    safe: bool | None = None
    leaves: bool | None = None
    skips: bool | None = None
    fresh: bool = False
    bounded: bool = False
    returned: bool = False
    flipped: bool = False
    line: int = 0
    tests: tuple[Test, ...] = ()

    def joined(self, other: Hinge) -> Hinge:
        """Both: the first word on each counts."""
        return replace(
            self,
            safe=other.safe if self.safe is None else self.safe,
            leaves=other.leaves if self.leaves is None else self.leaves,
            skips=other.skips if self.skips is None else self.skips,
            bounded=self.bounded or other.bounded,
            line=self.line or other.line,
            tests=(*self.tests, *other.tests),
        )


def hinge(tree: Tree, node: ast.expr) -> Hinge:
    """What hangs on the expression at `node`, here and at the places of this function that use its name."""
    found = _climb(tree, node)
    name = _target(tree, node)
    if name is not None:
        for use in used(tree, node, name):
            found = found.joined(_climb(tree, use))
    return replace(found, fresh=_fresh(node))


def _climb(tree: Tree, node: ast.expr) -> Hinge:
    here: ast.AST = node
    flipped, among, compare = False, False, None
    for up in tree.above(node):
        if isinstance(up, ast.UnaryOp) and isinstance(up.op, ast.Not):
            flipped = not flipped
        elif isinstance(up, ast.Compare):
            says = _says(up)
            if says is None and compare is not None:
                return Hinge()
            if says is None:
                compare = (up, here)
            flipped ^= says is False
        elif isinstance(up, ast.Call) and last_name(up.func) in _ASSERTS and up.args and up.args[0] is here:
            return _decided(Hinge(safe=True), flipped, compare)
        elif isinstance(up, ast.BoolOp):
            among = among or isinstance(up.op, ast.Or)
        elif isinstance(up, (ast.Assert, ast.If, ast.While)) and up.test is here:
            return _decided(replace(_statement(tree, up), bounded=_bounded(tree, up, among)), flipped, compare)
        elif isinstance(up, ast.Return) or (isinstance(up, ast.Lambda) and up.body is here):
            return Hinge(returned=True, flipped=flipped, tests=_returned(compare))
        elif not _passes(up, here):
            return Hinge()
        here = up
    return Hinge()


def _passes(up: ast.AST, here: ast.AST) -> bool:
    if isinstance(up, ast.Call):
        return up.func is here or (last_name(up.func) in _SAME and here in up.args)
    if isinstance(up, (ast.GeneratorExp, ast.ListComp)):
        return up.elt is here
    return isinstance(up, ast.NamedExpr) or (isinstance(up, ast.Attribute) and up.attr in _READS)


def _statement(tree: Tree, up: ast.Assert | ast.If | ast.While) -> Hinge:
    if isinstance(up, ast.Assert):
        return Hinge(safe=True)
    if isinstance(up, ast.While):
        return Hinge(leaves=False, line=up.lineno)
    loop = next((a for a in tree.above(up) if isinstance(a, (ast.While, ast.For))), None)
    safe = False if raises(up.body) else True if raises(up.orelse) or stops_after(tree, up) else None
    if loop is None:
        return Hinge(safe=safe)
    leaves = True if escapes(up.body) else False if escapes(up.orelse) else None
    skip = True if skips(up.body) else False if skips(up.orelse) else None
    return Hinge(safe=safe, leaves=leaves, skips=skip, line=loop.lineno)


def _bounded(tree: Tree, up: ast.AST, among: bool) -> bool:
    """Whether the loop has another end: it is a finite `for`, or the test has a second half."""
    if among:
        return True
    loop = next((a for a in (up, *tree.above(up)) if isinstance(a, (ast.While, ast.For))), None)
    return loop is not None and not endless(loop)


def _decided(found: Hinge, flipped: bool, compare: tuple[ast.Compare, ast.AST] | None) -> Hinge:
    if flipped:
        found = replace(found, safe=_not(found.safe), leaves=_not(found.leaves), skips=_not(found.skips))
    if compare is None:
        return found
    whole, operand = compare
    assert isinstance(operand, ast.expr)
    if found.safe is None and found.leaves is None:
        return Hinge()
    test = Test(compare=whole, operand=operand, safe=found.safe, leaves=found.leaves)
    # The answer to a tensor that is compared here in Python is a number: only the comparison has a truth.
    return Hinge(tests=(test,), bounded=found.bounded, line=found.line)


def _returned(compare: tuple[ast.Compare, ast.AST] | None) -> tuple[Test, ...]:
    return () if compare is None else (Test(compare[0], compare[1], None, None),)  # type: ignore[arg-type]


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _says(node: ast.Compare) -> bool | None:
    """Whether `x == True`, `x is False`, `x != 0` take the answer as it is (True) or the other way round."""
    last = node.comparators[0]
    if len(node.ops) != 1 or not isinstance(last, ast.Constant) or not isinstance(last.value, bool):
        return None
    return last.value is isinstance(node.ops[0], (ast.Eq, ast.Is))


def _target(tree: Tree, node: ast.expr) -> str | None:
    """The name that an answer is given, if it is given one as it is."""
    here: ast.AST = node
    for up in tree.above(node):
        if isinstance(up, ast.Assign) and up.value is here:
            return up.targets[0].id if len(up.targets) == 1 and isinstance(up.targets[0], ast.Name) else None
        if isinstance(up, (ast.AnnAssign, ast.NamedExpr)) and up.value is here:
            return up.target.id if isinstance(up.target, ast.Name) else None
        if not (_passes(up, here) or (isinstance(up, ast.UnaryOp) and not isinstance(up.op, ast.Not))):
            return None
        here = up
    return None


def _fresh(node: ast.expr) -> bool:
    """Whether what is asked has no name, or is one that was only made to be asked: `(a == b).all()`, `done`."""
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(inner, ast.Name) and inner.id == "torch":
            inner = node.args[0] if len(node.args) == 1 else None
        return not isinstance(inner, (ast.Name, ast.Attribute, ast.Subscript))
    return True
