"""Numbers that a healthy run might show: losses fall, scores rise, and where a loop waits for one, all magnitudes come.

`fitting` looks for a number of which the program's own comparisons come out as they should: `assert 0 <= acc <= 1`.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from typing import TYPE_CHECKING, Any

from ...core.syntax import names_in, texts_in
from ..provenance.safe_lookup import value_of
from .data_flow import assigned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType

    from .asked_expression import Tree
    from .consequence import Test

FALLING = "1.0, then decreasing values"
RISING = "0.5, then values approaching 1.0"
_SCORES = frozenset({
    "acc", "accuracy", "accuracies", "score", "scores", "f1", "auc", "auroc", "iou", "miou", "dice", "jaccard",
    "bleu", "rouge", "reward", "rewards", "return", "returns", "psnr", "ssim", "snr", "precision", "recall", "map",
    "r2", "hit", "hits", "correct", "success", "successes", "top1", "top5",
})  # fmt: skip
_ERRORS = frozenset({
    "loss", "losses", "err", "error", "errors", "nll", "ppl", "perplexity", "kl", "norm", "mse", "mae", "rmse",
    "dist", "distance", "wer", "cer",
})  # fmt: skip
_WORDS = re.compile(r"[a-z]+[0-9]*|[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*")
_SWEEP = (
    *(2.0**n for n in range(1, 10)), 1e-12, *(-(2.0**n) for n in range(10)), *(2.0**n for n in range(10, 31)),
)  # fmt: skip
_EPOCH = 64  # questions that get one count: all batches of an epoch should agree
_COMPARE: Mapping[type, Any] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Is: operator.eq, ast.IsNot: operator.ne,
}  # fmt: skip


def is_score(tree: Tree, node: ast.expr) -> bool:
    """Check whether the words around a question speak of something that gets better by rising."""
    words = {
        w.lower()
        for a in _around(tree, node)
        for name in (*names_in(a), *texts_in(a))
        for w in _WORDS.findall(name)
    }
    return bool(words & _SCORES) and not words & _ERRORS


def _around(tree: Tree, node: ast.expr) -> list[ast.AST]:
    """Return what may name an expression.

    What it is compared with or given to, its key, the function that returns it.
    """
    around: list[ast.AST] = [node]
    for up in tree.above(node):
        if isinstance(up, ast.Dict):
            return around + _keys(up, around)
        if isinstance(up, ast.Compare):
            around = [up]
        around += assigned(up)
        if isinstance(up, ast.Return):
            around.append(up)
        elif isinstance(up, ast.stmt):
            if isinstance(up, (ast.FunctionDef, ast.AsyncFunctionDef)) and isinstance(
                around[-1], ast.Return
            ):
                around.append(ast.Name(id=up.name, ctx=ast.Load()))
            return around
    return around


def _keys(items: ast.Dict, values: Sequence[ast.AST]) -> list[ast.AST]:
    return [
        key
        for key, value in zip(items.keys, items.values, strict=True)
        if key is not None and value in values
    ]


def swept(round_: int, natural: float, bound: int | None) -> float:
    """Return the number of a round in which a loop waits in vain: other magnitudes, and of a count what it can be."""
    if isinstance(natural, int):
        if bound is None:
            return natural
        return (bound, 0, bound // 2, 1)[round_ // _EPOCH % 4]
    return _SWEEP[round_ % len(_SWEEP)]


def fitting(
    natural: float,
    tests: Sequence[tuple[Test, bool, FrameType]],
    bound: int | None = None,
) -> float | None:
    """Return the number itself, or one near what it is compared with, such that each test comes out as wanted.

    Else None.
    """
    near = [natural, *(n for test, _, frame in tests for n in _near(test, frame))]
    if isinstance(natural, int):
        low, high = (-math.inf, math.inf) if bound is None else (0, bound)
        near = [int(n) for n in near if n == int(n) and low <= n <= high]
    return next((n for n in near if _meets(n, tests)), None)


def _near(test: Test, frame: FrameType) -> list[float]:
    """Return what lies between the other sides of a comparison, and beside each of them."""
    sides = [
        known for side in _sides(test) if (known := resolved(side, frame)) is not None
    ]
    between = [sum(sides) / len(sides)] if len(sides) > 1 else []
    return between + [
        n for c in sides for n in (c, c + 1, c - 1, c / 2, c * 2, c + 1e-3, c - 1e-3)
    ]


def _meets(value: float, tests: Sequence[tuple[Test, bool, FrameType]]) -> bool:
    return all(
        _holds(test, value, frame) in (None, wanted) for test, wanted, frame in tests
    )


def _sides(test: Test) -> list[ast.expr]:
    return [
        side
        for side in (test.compare.left, *test.compare.comparators)
        if side is not test.operand
    ]


def _holds(test: Test, value: float, frame: FrameType) -> bool | None:
    """Return what a comparison says of a number; None where the other side is not known."""
    sides = [test.compare.left, *test.compare.comparators]
    absolute = isinstance(test.operand, ast.Call) and "abs" in names_in(
        test.operand.func
    )
    shown = abs(value) if absolute else value
    known = [shown if side is test.operand else resolved(side, frame) for side in sides]
    for op, a, b in zip(test.compare.ops, known, known[1:], strict=False):
        compare = _COMPARE.get(type(op))
        if a is None or b is None or compare is None:
            return None
        if not compare(a, b):
            return False
    return True


def resolved(node: ast.expr, frame: FrameType) -> float | None:
    """Return the number that an expression of names and constants has in a frame, without running program code."""
    found = value_of(node, frame)
    return found if type(found) in (int, float, bool) and abs(found) < 1e30 else None
