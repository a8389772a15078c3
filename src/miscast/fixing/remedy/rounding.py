"""Check whether half precision would spoil a value's use: in an angle, a time, an exponent, a sum.

    args = t[:, None].float() * freqs        rounded here, every angle above 2048 is another one
    emb = torch.cat([args.cos(), args.sin()], -1)        so this is what is cast

Followed by names, in one function (a class, for `self.x`) and into functions of the same file, through arithmetic and
views, not through modules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import libcst as cst

from .change import rounds
from .edit_site import EditSite
from .nodes import below, called, calls_any, dotted, targets
from .source import Source

SENSITIVE = frozenset({
    "sin", "cos", "tan", "sincos", "polar", "exp", "exp2", "expm1", "log", "log2",
    "log10", "log1p", "pow", "cumsum", "cumprod", "logcumsumexp", "logsumexp",
    "softmax", "log_softmax", "erf", "outer", "stft", "istft", "fft", "ifft", "rfft",
    "irfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn",
})  # fmt: skip
_REDUCED = SENSITIVE | {
    "mean", "sum", "var", "std", "var_mean", "std_mean", "norm", "vector_norm", "rsqrt", "sqrt", "normalize",
    "layer_norm", "rms_norm", "group_norm", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy",
    "nll_loss", "kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_similarity", "amax",
    "amin", "aminmax", "quantile", "round",
}  # fmt: skip
"""Functions that programs cast up for on purpose: sensitive ones and reductions to few numbers."""
_VIEWS = frozenset({
    "float", "half", "double", "to", "type", "type_as", "view", "reshape", "flatten",
    "unsqueeze", "squeeze", "expand", "repeat", "repeat_interleave", "transpose",
    "permute", "contiguous", "cat", "stack", "concat", "einsum", "chunk", "split",
    "clone", "detach", "zip", "enumerate", "list", "tuple", "reversed", "div", "mul",
    "sub", "add", "neg", "reciprocal", "flip", "tile", "expand_as", "view_as",
})  # fmt: skip
_NO_VALUES = (
    "shape", "size", "dim", "ndim", "numel", "dtype", "device", "is_cuda", "requires_grad",
)  # fmt: skip
_STEPS = 6  # from name to name


def spoils(
    source: Source, *nodes: cst.BaseExpression, by: Collection[str] = SENSITIVE
) -> bool:
    """Check whether one of these expressions, unchanged or slightly changed, goes into such a function."""
    uses, known = list(nodes), set[cst.BaseExpression]()
    for _ in range(_STEPS):
        further: list[cst.BaseExpression] = []
        for use in uses:
            if use not in known:
                known.add(use)
                goes = _goes(source, use, by)
                if goes is None:
                    return True
                further += goes
        uses = further
    return False


def rounds_too_early(
    source: Source, site: EditSite, *nodes: cst.BaseExpression
) -> bool:
    """Check whether a site would round here what half precision spoils."""
    return rounds(site) and spoils(source, *nodes)


def is_meant(source: Source, site: EditSite, cast: cst.BaseExpression) -> bool:
    """Check whether a cast up stands before a norm, a softmax or a loss, so that what follows is what to cast back."""
    return rounds(site) and spoils(source, cast, by=_REDUCED)


def is_wide_on_purpose(site: EditSite, call: cst.CSTNode) -> bool:
    """Check for a function that is told to compute in float32: `F.softmax(logits, dim=-1, dtype=torch.float32)`."""
    return rounds(site) and isinstance(call, cst.Call) and called(call) in _REDUCED


def _goes(
    source: Source, node: cst.BaseExpression, by: Collection[str]
) -> list[cst.BaseExpression] | None:
    """Return the next reads of an expression's value. None: such a function reads it."""
    below: cst.CSTNode = node
    found: list[cst.BaseExpression] = []
    for above in source.around(node):
        if _is_sensitive(above, below, by):
            return None
        found += _read_at(source, above, below)
        if _ends(source, above, below):
            break
        below = above
    return found


def _is_sensitive(above: cst.CSTNode, below: cst.CSTNode, by: Collection[str]) -> bool:
    """Check whether a node is such a function of another, or a power other than its square or cube."""
    if isinstance(above, cst.Call):
        return called(above) in by
    if not isinstance(above, cst.BinaryOperation) or not isinstance(
        above.operator, cst.Power
    ):
        return False
    small = isinstance(above.right, cst.Integer) and above.right.value in ("2", "3")
    return not small or above.left is not below


def _read_at(
    source: Source, above: cst.CSTNode, below: cst.CSTNode
) -> Iterable[cst.BaseExpression]:
    """Return the reads of the names that something is bound to here."""
    if isinstance(above, cst.Call):
        return _handed_on(source, above, below)
    if isinstance(above, cst.Assign):
        return _reads(source, above, _gets(above, below))
    if isinstance(above, cst.For) and below is above.iter:
        names = filter(None, map(dotted, targets(above.target)))
        return [use for name in names for use in uses_in(above, name)]
    return ()


def _ends(source: Source, above: cst.CSTNode, below: cst.CSTNode) -> bool:
    """Check whether a node's value is no longer that of its part, slightly changed."""
    if isinstance(above, cst.Call):
        receives = isinstance(above.func, cst.Attribute) and _within(
            source, below, above.func
        )
        return called(above) not in _VIEWS and not receives
    if isinstance(above, cst.Attribute):
        return above.value is below and above.attr.value in _NO_VALUES
    if isinstance(above, cst.BinaryOperation):
        return isinstance(above.operator, cst.Power)
    return isinstance(above, (cst.BaseCompoundStatement, cst.Return, cst.Assign))


def _gets(assign: cst.Assign, value: cst.CSTNode) -> list[str]:
    """Return the names that a part of the assigned value goes to: one each in `x, y = a, b`."""
    parts = assign.value.elements if isinstance(assign.value, cst.Tuple) else ()
    same = (n for n, part in enumerate(parts) if value in (part, part.value))
    index = next(same, None)
    set_by: Iterable[cst.BaseExpression] = (one.target for one in assign.targets)
    if index is not None:
        set_by = _items(set_by, index, len(parts))
    return [name for one in set_by for name in map(dotted, targets(one)) if name]


def _items(
    several: Iterable[cst.BaseExpression], index: int, count: int
) -> Iterator[cst.BaseExpression]:
    for one in several:
        if isinstance(one, cst.Tuple) and len(one.elements) == count:
            yield one.elements[index].value


def uses_in(loop: cst.For, name: str) -> list[cst.BaseExpression]:
    """Return a name's reads in a loop body."""
    names = (node for node in below(loop.body) if isinstance(node, cst.Name))
    return [node for node in names if node.value == name]


def _handed_on(
    source: Source, call: cst.Call, argument: cst.CSTNode
) -> Iterator[cst.BaseExpression]:
    """Yield the reads of an argument in a called function of the same file."""
    for function in _callees(source, call) if argument in call.args else ():
        params = (*function.params.posonly_params, *function.params.params)
        names = [one.name.value for one in params]
        names = names[1:] if names[:1] == ["self"] else names
        index = call.args.index(argument)
        keyword = call.args[index].keyword
        name = keyword.value if keyword else "".join(names[index : index + 1])
        for node in below(function.body):
            if isinstance(node, cst.Name) and node.value == name:
                yield node


def _callees(source: Source, call: cst.Call) -> list[cst.FunctionDef]:
    """Return the function of a file that a call runs. It has that name, or is `forward` of the class kept under it."""
    named = source.defined.get(called(call))
    if named is not None:
        return [named]
    methods = _methods(source, dotted(call.func))
    return [n for n in methods if n.name.value == "forward"]


def _methods(source: Source, name: str) -> list[cst.FunctionDef]:
    """Return the methods of the class assigned to a name."""
    kinds = set(map(_constructor, _assigned(source).get(name, ())))
    owner = next((n for n in source.of(cst.ClassDef) if n.name.value in kinds), None)
    inner = below(owner) if owner is not None else ()
    return [node for node in inner if isinstance(node, cst.FunctionDef)]


@lru_cache(maxsize=16)
def _assigned(source: Source) -> Mapping[str, Sequence[cst.BaseExpression]]:
    """Return what a file assigns to each name, in whatever function."""
    found: dict[str, list[cst.BaseExpression]] = {}
    for one in source.of(cst.Assign):
        found.setdefault(dotted(one.targets[0].target), []).append(one.value)
    found.pop("", None)
    return found


def _constructor(value: cst.BaseExpression) -> str:
    """Return `Net` of `Net(8).to(device)`."""
    while (
        isinstance(value, cst.Call)
        and isinstance(value.func, cst.Attribute)
        and isinstance(value.func.value, cst.Call)
    ):
        value = value.func.value
    return called(value) if isinstance(value, cst.Call) else ""


def is_spoilt_by(node: cst.CSTNode) -> bool:
    """Check whether an expression calls such a function. It was computed in full precision on purpose."""
    return calls_any(node, SENSITIVE)


def _reads(
    source: Source, after: cst.Assign, names: list[str]
) -> Iterator[cst.BaseExpression]:
    """Yield the reads of these names after an assignment in its function. For `self.x`, anywhere."""
    own, line = source.function(after), source.line(after)
    for name in names:
        for node in source.spelled.get(name, ()):
            later = source.function(node) is own and source.line(node) > line
            if (later or name.startswith("self.")) and not isinstance(
                source.parents.get(node), cst.AssignTarget
            ):
                yield node


def _within(source: Source, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
    return node is outer or outer in source.around(node)
