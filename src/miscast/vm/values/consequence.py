"""Find what depends on an answer to the program: whether an error is raised, or a loop goes on.

assert mask.any()                       True is safe
if kl > 1.5 * target: break             True leaves the loop
n = mask.sum().item(); assert n > 0     a number is safe that is above 0
return (new == old).all()               the caller's line decides
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...core.syntax import last_name
from .branches import endless, escapes, raises, skips, stops_after
from .data_flow import assigned, used

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .asked_expression import Tree

# what gives the truth, or the number, that it is given
_SAME = {"bool", "all", "any", "float", "int", "abs"}
_READS = {
    "item", "all", "any", "bool", "cpu", "detach", "float", "double", "long", "tolist",
}  # fmt: skip
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
        """Combine both; the first known value of each field counts."""
        return replace(
            self,
            safe=other.safe if self.safe is None else self.safe,
            leaves=other.leaves if self.leaves is None else self.leaves,
            skips=other.skips if self.skips is None else self.skips,
            bounded=self.bounded or other.bounded,
            line=self.line or other.line,
            tests=(*self.tests, *other.tests),
        )

    def negated(self) -> Hinge:
        """Return what hangs on the opposite of the answer."""
        return replace(
            self, safe=_not(self.safe), leaves=_not(self.leaves), skips=_not(self.skips)
        )


def hinge(tree: Tree, node: ast.expr) -> Hinge:
    """Return what hangs on the expression at `node`, here and at the places of this function that use its name."""
    found = _climb(tree, node)
    name = _target(tree, node)
    if name is not None:
        for use in used(tree, node, name):
            found = found.joined(_climb(tree, use))
    return replace(found, fresh=_fresh(node))


def _climb(tree: Tree, node: ast.expr) -> Hinge:
    way = _Way(here=node)
    for up in tree.above(node):
        found = _end(tree, up, way)
        if found is not None:
            return found
        if not way.leads_through(up):
            break
        way.here = up
    return Hinge()


@dataclass(slots=True, kw_only=True)
class _Way:
    """The path of an answer upward from its request."""

    here: ast.AST
    flipped: bool = False
    among: bool = False  # one of several that each would do: `a or b`
    compare: tuple[ast.Compare, ast.AST] | None = None

    def leads_through(self, up: ast.AST) -> bool:
        """Check whether what `up` gives still follows from the answer."""
        if isinstance(up, ast.UnaryOp) and isinstance(up.op, ast.Not):
            self.flipped = not self.flipped
        elif isinstance(up, ast.BoolOp):
            self.among = self.among or isinstance(up.op, ast.Or)
        elif isinstance(up, ast.Compare):
            says = _says(up)
            if says is None and self.compare is not None:
                return False
            if says is None:
                self.compare = up, self.here
            self.flipped ^= says is False
        else:
            return _passes(up, self.here)
        return True

    def decides(self, found: Hinge) -> Hinge:
        """Return what hangs on the answer, where `found` hangs on what it came to."""
        if self.flipped:
            found = found.negated()
        if self.compare is None:
            return found
        if found.safe is None and found.leaves is None:
            return Hinge()
        # The answer to a tensor that is compared here in Python is a number: only the comparison has a truth.
        return Hinge(
            tests=self.tests(found.safe, found.leaves),
            bounded=found.bounded,
            line=found.line,
        )

    def tests(self, safe: bool | None, leaves: bool | None) -> tuple[Test, ...]:
        """Return the comparison that the answer takes part in, if it does in one."""
        if self.compare is None:
            return ()
        whole, operand = self.compare
        assert isinstance(operand, ast.expr)
        return (Test(compare=whole, operand=operand, safe=safe, leaves=leaves),)


def _end(tree: Tree, up: ast.AST, way: _Way) -> Hinge | None:
    """Return what depends on the answer, if it is `up` that asks for it."""
    here = way.here
    if (
        isinstance(up, ast.Call)
        and last_name(up.func) in _ASSERTS
        and up.args
        and up.args[0] is here
    ):
        return way.decides(Hinge(safe=True))
    if isinstance(up, (ast.Assert, ast.If, ast.While)) and up.test is here:
        return way.decides(
            replace(_statement(tree, up), bounded=_bounded(tree, up, way.among))
        )
    if isinstance(up, ast.Return) or (isinstance(up, ast.Lambda) and up.body is here):
        return Hinge(returned=True, flipped=way.flipped, tests=way.tests(None, None))
    return None


def _passes(up: ast.AST, here: ast.AST) -> bool:
    if isinstance(up, ast.Call):
        return up.func is here or (last_name(up.func) in _SAME and here in up.args)
    if isinstance(up, (ast.GeneratorExp, ast.ListComp)):
        return up.elt is here
    return isinstance(up, ast.NamedExpr) or (
        isinstance(up, ast.Attribute) and up.attr in _READS
    )


def _statement(tree: Tree, up: ast.Assert | ast.If | ast.While) -> Hinge:
    if isinstance(up, ast.Assert):
        return Hinge(safe=True)
    if isinstance(up, ast.While):
        return Hinge(leaves=False, line=up.lineno)
    loop = next(
        (a for a in tree.above(up) if isinstance(a, (ast.While, ast.For))), None
    )
    safe = _not(_truth_of(raises, up))
    if safe is None and stops_after(tree, up):
        safe = True
    if loop is None:
        return Hinge(safe=safe)
    return Hinge(
        safe=safe,
        leaves=_truth_of(escapes, up),
        skips=_truth_of(skips, up),
        line=loop.lineno,
    )


def _truth_of(does: Callable[[Sequence[ast.stmt]], bool], up: ast.If) -> bool | None:
    """Return the truth of the test that leads to a branch that `does` this; None if no branch does."""
    return True if does(up.body) else False if does(up.orelse) else None


def _bounded(tree: Tree, up: ast.AST, among: bool) -> bool:
    """Check whether the loop has another end: it is a finite `for`, or the test has a second part."""
    if among:
        return True
    loop = next(
        (a for a in (up, *tree.above(up)) if isinstance(a, (ast.While, ast.For))), None
    )
    return loop is not None and not endless(loop)


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _says(node: ast.Compare) -> bool | None:
    """Check whether `x == True`, `x is False`, `x != 0` keep the answer (True) or negate it."""
    last = node.comparators[0]
    if (
        len(node.ops) != 1
        or not isinstance(last, ast.Constant)
        or not isinstance(last.value, bool)
    ):
        return None
    return last.value is isinstance(node.ops[0], (ast.Eq, ast.Is))


def _target(tree: Tree, node: ast.expr) -> str | None:
    """Return the name that an unchanged answer is assigned to, if there is one."""
    here: ast.AST = node
    for up in tree.above(node):
        if (
            isinstance(up, (ast.Assign, ast.AnnAssign, ast.NamedExpr))
            and up.value is here
        ):
            targets = assigned(up)
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                return targets[0].id
            return None
        if not (
            _passes(up, here)
            or (isinstance(up, ast.UnaryOp) and not isinstance(up.op, ast.Not))
        ):
            return None
        here = up
    return None


def _fresh(node: ast.expr) -> bool:
    """Check whether the value is unnamed, or its name exists only for the test: `(a == b).all()`, `done`."""
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(inner, ast.Name) and inner.id == "torch":
            inner = node.args[0] if len(node.args) == 1 else None
        return not isinstance(inner, (ast.Name, ast.Attribute, ast.Subscript))
    return True
