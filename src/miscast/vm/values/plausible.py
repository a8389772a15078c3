"""Numbers that a healthy run might show: losses fall, scores rise, and where a loop waits for one, all magnitudes come.

`fitting` looks for a number of which the program's own comparisons come out as they should: `assert 0 <= acc <= 1`.
"""

from __future__ import annotations

import ast
import operator
import re
from typing import TYPE_CHECKING, Any

from ...provenance.safe_lookup import value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from .asked_expression import Tree
    from .consequence import Test

FALLING = "1.0, then ever less"
RISING = "0.5, then ever closer to 1.0"
_SCORES = frozenset(
    {
        *("acc", "accuracy", "accuracies", "score", "scores", "f1", "auc", "auroc", "iou", "miou", "dice", "jaccard"),
        *("bleu", "rouge", "reward", "rewards", "return", "returns", "psnr", "ssim", "snr", "precision", "recall"),
        *("map", "r2", "hit", "hits", "correct", "success", "successes", "top1", "top5"),
    }
)
_ERRORS = frozenset(
    {
        *("loss", "losses", "err", "error", "errors", "nll", "ppl", "perplexity", "kl", "norm", "mse", "mae", "rmse"),
        *("dist", "distance", "wer", "cer"),
    }
)
_WORDS = re.compile(r"[a-z]+[0-9]*|[A-Z]+(?![a-z])[0-9]*|[A-Z][a-z]+[0-9]*")
_SWEEP = (*(2.0**n for n in range(1, 10)), 1e-12, *(-(2.0**n) for n in range(10)), *(2.0**n for n in range(10, 31)))
_EPOCH = 64  # questions that get one count: all batches of an epoch should agree
_COMPARE: Mapping[type, Any] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Is: operator.eq, ast.IsNot: operator.ne,
}  # fmt: skip


def is_score(tree: Tree, node: ast.expr) -> bool:
    """Whether the words around a question speak of something that gets better by rising."""
    around: list[ast.AST] = [node]
    for up in tree.above(node):
        if isinstance(up, ast.Dict):
            keys = [k for k, v in zip(up.keys, up.values, strict=True) if k is not None and v in around]
            around += keys
            break
        if isinstance(up, ast.Compare):
            around = [up]
        if isinstance(up, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
            around += up.targets if isinstance(up, ast.Assign) else [up.target]
        if isinstance(up, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(isinstance(a, ast.Return) for a in around):
            around.append(ast.Name(id=up.name, ctx=ast.Load()))
        if isinstance(up, ast.Return):
            around.append(up)
        if isinstance(up, ast.stmt) and not isinstance(up, ast.Return):
            break
    words = {w.lower() for a in around for name in _names(a) for w in _WORDS.findall(name)}
    return bool(words & _SCORES) and not words & _ERRORS


def _names(tree: ast.AST) -> Iterator[str]:
    for n in ast.walk(tree):
        if isinstance(n, ast.Name):
            yield n.id
        elif isinstance(n, ast.Attribute):
            yield n.attr
        elif isinstance(n, ast.Constant) and isinstance(n.value, str):
            yield n.value


def swept(round_: int, natural: float, bound: int | None) -> float:
    """The number of a round in which a loop waits in vain: other magnitudes, and of a count what it can be."""
    if isinstance(natural, int):
        return natural if bound is None else (bound, 0, bound // 2, 1)[round_ // _EPOCH % 4]
    return _SWEEP[round_ % len(_SWEEP)]


def fitting(natural: float, tests: Sequence[tuple[Test, bool, FrameType]], bound: int | None = None) -> float | None:
    """The number itself, or one near what it is compared with, such that each test comes out as wanted; else None."""
    near: list[float] = [natural]
    for test, _, frame in tests:
        sides = [known for side in _sides(test) if (known := resolved(side, frame)) is not None]
        near += [sum(sides) / len(sides)] if len(sides) > 1 else []
        near += [n for c in sides for n in (c, c + 1, c - 1, c / 2, c * 2, c + 1e-3, c - 1e-3)]
    if isinstance(natural, int):
        near = [int(n) for n in near if n == int(n)]
        if bound is not None:
            near = [n for n in near if 0 <= n <= bound]
    return next((n for n in near if all(_holds(t, n, f) in (None, wanted) for t, wanted, f in tests)), None)


def _sides(test: Test) -> list[ast.expr]:
    return [side for side in (test.compare.left, *test.compare.comparators) if side is not test.operand]


def _holds(test: Test, value: float, frame: FrameType) -> bool | None:
    """What a comparison says of a number; None where the other side is not known."""
    sides = [test.compare.left, *test.compare.comparators]
    absolute = isinstance(test.operand, ast.Call) and "abs" in _names(test.operand.func)
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
    """The number that an expression of names and constants stands for in a frame; no code of the program is run."""
    found = value_of(node, frame)
    return found if type(found) in (int, float, bool) and abs(found) < 1e30 else None
