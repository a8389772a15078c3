"""Convert one operand where it is used: `torch.cat([latent, mask.to(latent.dtype)])`, `net(x.to(device))`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, repeat

import libcst as cst

from ....torch_facts.contracts import alike_with
from .. import words
from ..binding import argument, is_call, operands
from ..calls import entry_of, is_operator
from ..change import Change, ChangeBuilder, Variant, rounds
from ..edit_site import EditSite
from ..names import (
    METHODS,
    conversions,
    device_of,
    is_container,
    plainly,
    siblings,
    spellings,
)
from ..nodes import VIEWS, called, calls_any, dotted, last, method, name_of, spaced
from ..offloading import is_written
from ..rounding import is_meant, is_spoilt_by, rounds_too_early, spoils
from ..source import Source

ORDER = 40
_FAR = {"promoted": 0, "autocast": 12, "carried": -8, "defined": 6, "use": 10, "caller": 8}  # fmt: skip
"""Order by role."""
_CONVERTED = -33  # nearer than a factory's argument: the line converts it already
_STATED = 12  # it was meant where it was made: what uses it is nearer to the mistake
_MEANT = 8  # the conversion was for a layer: its result is cast where it is used
_RESULT = -5  # of what was computed wider on purpose
_TABLE = 25  # moving an index costs less than the tensor that it reads from
_WHOLE = (
    2  # one cast of all that a line gives does what several casts of its parts may do
)
_NO_TENSORS = frozenset({
    "self", "cls", "torch", "nn", "F", "np", "numpy", "math", "args", "config", "cfg",
    "device", "True", "False", "None",
})  # fmt: skip
_NO_RESULTS = frozenset({
    "range", "len", "enumerate", "zip", "print", "int", "float", "str", "isinstance",
    "super", "set", "frozenset", "list", "tuple", "dict",
})  # fmt: skip
_OF_ARRAYS = ("tensor", "as_tensor", "from_numpy")
_OF_LISTS = frozenset({"append", "extend", "insert", "update", "items", "values"})
"""Methods of containers, not of tensors."""


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each name and inner expression that may be the tensor, and for the line's result."""
    if site.role in ("absent", "forbidden", "scaled") or (
        site.parameter and site.role in ("use", "caller")
    ):
        return
    whole, used = result(source, site), set(_used(source, site))
    offending = argument(source, site)
    if offending is not None and _is_indexed(source, site, offending):
        offending = None  # the index is moved instead
    yield from _all_at_once(source, site)
    yield from _in_a_list(source, site)
    yield from _all_made(source, site)
    for node in _operands(source, site):
        if _may_be_cast(source, site, node):
            builder = replace(
                _builder(source, site, node),
                priority=_WHOLE if node is whole else 0,
                exact=source.text(node) if node is offending else "",
            )
            new = _converted(source, site, node)
            yield from builder.replaced(node, *new, at_call=node in used)


def _used(source: Source, site: EditSite) -> Iterator[cst.BaseExpression]:
    """Yield the operands of the failing call, as written."""
    for call in _failing(source, site):
        yield from (operand for _, operand in operands(call, site))


def _failing(source: Source, site: EditSite) -> Iterator[cst.BaseExpression]:
    nodes = source.expressions(site.location.line) if site.role == "use" else ()
    return (node for node in nodes if is_call(node, site))


def _may_be_cast(source: Source, site: EditSite, node: cst.BaseExpression) -> bool:
    """Check that a conversion here spoils no number, and that nobody writes to what is converted."""
    if rounds_too_early(source, site, node) or is_written(source, node):
        return False
    return site.role != "cast" or not is_meant(source, site, node)


def _all_at_once(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a call with all offending arguments cast: `attention(q.to(v.dtype), k.to(v.dtype), v)`."""
    for call in _failing(source, site):
        if not isinstance(call, cst.Call):
            continue
        odd = [a for a in _bound(call, site) if site.offends(source.text(a.value))]
        fits = [a.value for a in call.args if site.fits(source.text(a.value))]
        if len(odd) < 2 or any(is_written(source, a.value) for a in odd):
            continue
        texts = spellings(source, call, site, map(source.text, fits))
        new = map(partial(_all_to, call, odd, site), texts)
        builder = ChangeBuilder(source=source, site=site, order=ORDER)
        yield from builder.replaced(call, *new, at_call=True)


def _all_made(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield casts of all that a data set returns of such arrays: `return torch.from_numpy(x), torch.from_numpy(y)`."""
    if site.role != "born" or site.op not in _OF_ARRAYS:
        return
    line = site.location.line
    made = [call for name in _OF_ARRAYS for call in source.calls(line, name)]
    if len(made) < 2 or not all(source.above(one, cst.Return) for one in made):
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    each = [list(conversions(source, node, site)) for node in made]
    pairs = [list(zip(made, new, strict=True)) for new in zip(*each, strict=False)]
    variants = (_at_once(source, site, one) for one in pairs)
    yield from builder.written(source.line(made[0]), *variants)


def _at_once(
    source: Source,
    site: EditSite,
    pairs: Sequence[tuple[cst.BaseExpression, cst.BaseExpression]],
) -> Variant:
    titles = (words.replaced(source, *pair, site.about) for pair in pairs)
    write = partial(source.with_nodes, *pairs)
    return Variant(title=", and ".join(titles), write=write)


def _in_a_list(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield casts of all tensors of a list that a foreach op takes: `[p.detach().float() for p in parameters]`."""
    name, _, index = site.operand.partition("[")
    place = 0 if name == "self" else int(name[-1]) if name[-1:].isdigit() else 1
    written = not place and site.failed_op.endswith("_")
    foreach = site.failed_op.startswith("_foreach")
    if site.role != "use" or not foreach or not index or written:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER + _FAR["use"])
    for call in source.calls(site.location.line, site.failed_op):
        given = call.args[place].value if place < len(call.args) else None
        comprehension = _comprehension(source, given)
        if isinstance(comprehension, cst.ListComp):
            node = comprehension.elt
            yield from builder.replaced(node, *conversions(source, node, site))
        elif isinstance(given, (cst.Name, cst.Attribute, cst.Call)):
            each = conversions(source, given, site, owner=cst.Name("t"))
            texts = (
                f"[{source.text(one)} for t in {source.text(given)}]" for one in each
            )
            yield from builder.replaced(given, *map(cst.parse_expression, texts))


def _comprehension(
    source: Source, node: cst.BaseExpression | None
) -> cst.CSTNode | None:
    """Return the value that a name was given last before its use, or an expression itself."""
    if not isinstance(node, cst.Name):
        return node
    line = source.line(node)
    values = source.values(node, node.value)
    before = [value for value in values if source.line(value) < line]
    return before[-1] if before else None


def _bound(call: cst.Call, site: EditSite) -> list[cst.Arg]:
    """Return the arguments that must match the blamed one. A mask of attention may have another dtype."""
    names = entry_of(site.failed_op).operands
    alike = alike_with(f"aten.{site.failed_op}", site.operand)
    if alike.isdisjoint(
        names
    ):  # `addmm` has those of `linear`, which it is in a module
        return list(call.args)
    named = zip(call.args, chain(names, repeat("")), strict=False)
    return [a for a, name in named if (name_of(a) or name) in alike]


def _all_to(
    call: cst.Call, odd: Collection[cst.Arg], site: EditSite, text: str
) -> cst.Call:
    to = cst.Arg(cst.parse_expression(text))
    args = [
        a.with_changes(value=_to(a.value, to, site)) if a in odd else a
        for a in call.args
    ]
    return call.with_changes(args=args)


def _builder(source: Source, site: EditSite, node: cst.BaseExpression) -> ChangeBuilder:
    far = ORDER + _far(source, site, node)
    builder = ChangeBuilder(source=source, site=site, order=far)
    to_host = site.want == "cpu" and site.other is not None
    if site.role != "use":
        return builder
    if site.about == "device" and not to_host:
        return replace(builder, precision_loss=0)  # a copy for this line
    if rounds(site) and _was_widened(source, node):
        return replace(builder, precision_loss=0, order=_RESULT)
    wide = _meets_what_is_wide(source, site, node)
    return replace(builder, precision_loss=0) if wide else builder


def _far(source: Source, site: EditSite, node: cst.BaseExpression) -> int:
    """Return how far a conversion of an expression is from the mistake."""
    converted = _is_converted(node, site)
    far = _CONVERTED if converted else _FAR.get(site.role, 4)
    far += _MEANT * _takes_converted(node, site)
    far += _STATED * _says(node, site) + _TABLE * _is_indexed(source, site, node)
    return far + (not _plain(node) and not _promotes(node, site))


def _meets_what_is_wide(
    source: Source, site: EditSite, node: cst.BaseExpression
) -> bool:
    """Check whether half precision is used with what must not be rounded here: `self.filters @ power`, then a log."""
    if not rounds(replace(site, have=site.want, want=site.have)):
        return False
    calls = [n for n in source.around(node) if is_call(n, site)][:1]
    others = (o for call in calls for _, o in operands(call, site) if o is not node)
    met = (o for o in others if site.fits(source.text(o)) is not False)
    return any(spoils(source, one) for one in met)


def _is_converted(node: cst.BaseExpression, site: EditSite) -> bool:
    """Check for `.to(device)` on the way to a call: the dtype belongs there."""
    here = site.role in ("use", "caller", "carried") and site.about == "dtype"
    return here and isinstance(node, cst.Call) and called(node) == "to"


def _takes_converted(node: cst.BaseExpression, site: EditSite) -> bool:
    """Check for a call that is given what is converted on its line: `self.projector(patches.float())`."""
    casts = {"to", METHODS.get(site.have, "")}
    taken = node.args if site.role == "cast" and isinstance(node, cst.Call) else ()
    return any(calls_any(one, casts) for one in taken)


def _promotes(node: cst.BaseExpression, site: EditSite) -> bool:
    """Check whether an operation is the one that joined two dtypes."""
    if not isinstance(node, cst.BinaryOperation) or site.role != "promoted":
        return False
    return is_operator(node.operator, site.op)


def _says(node: cst.BaseExpression, site: EditSite) -> bool:
    """Check whether a call states what it makes: `torch.ones(4, device=first)`."""
    return isinstance(node, cst.Call) and site.about in map(name_of, node.args)


def _is_indexed(source: Source, site: EditSite, node: cst.BaseExpression) -> bool:
    """Check whether the failing call reads from this tensor, or a view of it, by an index on another device."""
    whole: cst.CSTNode = node
    for above in source.around(node) if site.about == "device" else ():
        if isinstance(above, cst.Subscript):
            return above.value is whole and is_call(above, site)
        if not isinstance(above, (cst.Attribute, cst.Call)):
            break
        whole = above
    return False


def _was_widened(source: Source, node: cst.BaseExpression) -> bool:
    """Check whether a name is the result of a softmax, a cosine or a sum computed in float32 on purpose."""
    if not isinstance(node, cst.Name):
        return False
    values = source.values(node, node.value)
    spoilt = (source.text(value) for value in values if is_spoilt_by(value))
    return any(".float()" in text or "float32" in text for text in spoilt)


def _converted(
    source: Source, site: EditSite, node: cst.BaseExpression
) -> Iterator[cst.Call]:
    beside = chain(siblings(source, node), _summands(node))
    plain = plainly(source, site) if site.role == "defined" else None
    for new in conversions(source, node, site, beside):
        if plain is not None and new.args and source.text(new.args[0].value) == plain:
            continue
        if not new.args:
            yield new
        elif site.want not in ("int64", "bool"):
            yield _to(node, new.args[0], site)


def _summands(node: cst.BaseExpression) -> Iterator[str]:
    """Yield the names that an expression computes with."""
    if isinstance(node, cst.BinaryOperation):
        for side in (node.left, node.right):
            yield from (side.value,) if isinstance(side, cst.Name) else _summands(side)
    elif isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name):
        yield node.value.value


def _to(node: cst.BaseExpression, argument: cst.Arg, site: EditSite) -> cst.Call:
    """Return a conversion. If the expression already converts to a device, or a dtype, extend that call."""
    match node:
        case cst.Call(args=[cst.Arg(keyword=None) as arg]) if called(node) == "to":
            if site.about == "dtype" and _is_move(node):
                return node.with_changes(args=spaced([arg, argument]))
            if site.about == "device" and last(arg.value).lower().endswith("dtype"):
                return node.with_changes(args=spaced([argument, arg]))
    return method(node, "to", argument)


def _plain(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.Name, cst.Attribute, cst.Subscript))


def _operands(source: Source, site: EditSite) -> Iterator[cst.BaseExpression]:
    """Yield possible tensors: arguments, operands, receivers of methods, elements of lists, results."""
    found: dict[cst.BaseExpression, None] = {}
    for node in _in_scope(source, site):
        found |= dict.fromkeys(_parts(node, receivers=site.role in ("use", "promoted")))
        if isinstance(node, cst.Subscript) and is_call(node, site):
            found |= dict.fromkeys(part for _, part in operands(node, site))
    value = result(source, site)
    if value is not None and site.role not in ("use", "caller"):
        found[value] = None
    for node in found:
        if _may_offend(source, site, node) and _may_be_tensor(source, node):
            yield node


def _in_scope(source: Source, site: EditSite) -> list[cst.BaseExpression]:
    """Return the expressions that a line uses; those of its lambda or comprehension if that is the site's function."""
    if site.role not in ("use", "caller", "promoted", "autocast"):
        return []
    nodes = list(source.expressions(site.location.line))
    if site.location.function in ("", "<module>") or site.location.function[0] != "<":
        return nodes
    inner = (cst.Lambda, cst.BaseComp)
    return [n for n in nodes if any(isinstance(one, inner) for one in source.around(n))]


def _may_offend(source: Source, site: EditSite, node: cst.BaseExpression) -> bool:
    """Check whether an expression may have what the offending operand has. A part of a tensor has what that has."""
    above = source.parents.get(node)
    receives = isinstance(above, cst.Attribute) and above.value is node
    if receives and last(node) in site.path.split("."):
        return False  # the module that runs: `models.vae.decode(latent)`
    told, whole = site.offends(source.text(node)), _whole(node, site)
    while told is None and whole is not None:
        if device_of(site, source.text(whole)):
            told = site.offends(source.text(whole))
        whole = _whole(whole, site)
    return told is not False


def _whole(node: cst.BaseExpression, site: EditSite) -> cst.BaseExpression | None:
    """Return the tensor that an expression is a part, a view or a copy of; for dtypes, also a moved one."""
    if isinstance(node, cst.Subscript):
        return node.value
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    moves = called(node) in ("cuda", "cpu") or _is_move(node)
    kept = called(node) in VIEWS or (moves and site.about == "dtype")
    return node.func.value if kept else None


def _is_move(node: cst.Call) -> bool:
    """Check for a conversion to a device, and no more: `x.to(self.device)`, `x.to("cuda")`."""
    if called(node) != "to" or len(node.args) != 1 or node.args[0].star:
        return False
    value = node.args[0].value
    text = isinstance(value, cst.SimpleString)
    return text or last(value).lower().endswith(("device", "dev"))


def _parts(
    node: cst.BaseExpression, *, receivers: bool
) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Call):
        if called(node) not in _NO_RESULTS:
            yield from (argument.value for argument in node.args if not argument.star)
        receives = receivers and called(node) not in _OF_LISTS
        if receives and isinstance(node.func, cst.Attribute):
            yield node.func.value
    elif isinstance(node, (cst.BinaryOperation, cst.Comparison)):
        yield from _sides(node)
    elif isinstance(node, (cst.List, cst.Tuple)):
        yield from _items(node)


def _sides(node: cst.BinaryOperation | cst.Comparison) -> Iterator[cst.BaseExpression]:
    yield node.left
    if isinstance(node, cst.BinaryOperation):
        yield node.right
    else:
        yield from (target.comparator for target in node.comparisons)


def result(source: Source, site: EditSite) -> cst.BaseExpression | None:
    """Return the value that a line assigns or returns; of several values, and over several lines, the line's own."""
    statement = source.statement(site.location.line)
    if isinstance(statement, cst.SimpleStatementLine):
        for part in statement.body:
            if isinstance(part, (cst.Assign, cst.Return, cst.AugAssign, cst.AnnAssign)):
                return _own_value(source, site, part.value)
    return None


def _own_value(
    source: Source, site: EditSite, value: cst.BaseExpression | None
) -> cst.BaseExpression | None:
    """Return the part of a value that a line gives; None where that may be several."""
    line = site.location.line
    several = isinstance(value, (cst.Tuple, cst.List, cst.Dict, cst.BaseSimpleComp))
    if value is None or not (several or source.line(value) < line):
        return value
    inner = [one for one in _items(value) if source.covers(one, line)]
    if len(inner) > 1:
        inner = [one for one in inner if calls_any(one, {site.op})]
    if len(inner) == 1:
        return _own_value(source, site, inner[0])
    return None if several else value


def _items(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(value, cst.BaseSimpleComp):
        return [value.elt]
    return [a.value for a in getattr(value, "elements", getattr(value, "args", ()))]


def _may_be_tensor(source: Source, node: cst.BaseExpression) -> bool:
    if isinstance(node, (cst.Name, cst.Attribute)):
        container = is_container(source, node, dotted(node))
        return (
            _may_name_tensor(node) and not source.bound(dotted(node)) and not container
        )
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.expression, cst.BaseNumber)
    if isinstance(node, cst.Call):
        return called(node) not in _NO_RESULTS
    if isinstance(node, cst.Subscript):
        return not source.text(node.value).endswith(".shape")
    return isinstance(node, (cst.BinaryOperation, cst.Comparison))


def _may_name_tensor(node: cst.Name | cst.Attribute) -> bool:
    name, end = dotted(node), last(node)
    if name.count(".") == 1 and name.partition(".")[0] in _NO_TENSORS:
        return name.startswith("self.") and not end.endswith(("dtype", "device"))
    return name not in _NO_TENSORS and not end.endswith(
        ("dtype", "device", "shape", "config")
    )
