"""Parts of a syntax tree: names as they are written, what stands in a node, and calls that are made anew.

dotted(node)                                          "self.scale"
method(cst.Name("x"), "half")                         x.half()
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import libcst as cst

VIEWS = frozenset({"view", "reshape", "flatten", "clone", "detach", "unsqueeze"})
"""Methods whose result has the dtype and the device of their tensor."""


def called(call: cst.Call) -> str:
    """Return the last name of the callee: "ones" of `torch.ones(…)`."""
    return last(call.func)


def last(node: cst.BaseExpression) -> str:
    """Return the last name of a dotted expression, or ""."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` as a string; "" for what is no chain of names."""
    if isinstance(node, cst.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr.value}" if owner else ""
    return node.value if isinstance(node, cst.Name) else ""


def method(owner: cst.BaseExpression, name: str, *args: cst.Arg) -> cst.Call:
    """`owner.name(args)`, the owner in parentheses where it needs them."""
    return cst.Call(
        func=cst.Attribute(value=whole(owner), attr=cst.Name(name)), args=spaced(args)
    )


def whole(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression that a dot can follow."""
    simple = (
        cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set, cst.Tuple,
    )  # fmt: skip
    if isinstance(node, simple) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def spaced(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Arguments with ", " between them."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    plain = cst.MaybeSentinel.DEFAULT
    commas = [*[comma] * (len(args) - 1), plain]
    return [a.with_changes(comma=c) for a, c in zip(args, commas, strict=False)]


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """`name=value`, without spaces."""
    none = cst.SimpleWhitespace("")
    equal = cst.AssignEqual(whitespace_before=none, whitespace_after=none)
    return cst.Arg(value=value, keyword=cst.Name(name), equal=equal)


def is_class_name(name: str) -> bool:
    """Check for `MixedPrecision`, which is no constant such as `DTYPE`."""
    return name[:1].isupper() and not name.isupper()


def name_of(argument: cst.Arg) -> str:
    """Return an argument's keyword, or ""."""
    return argument.keyword.value if argument.keyword else ""


def with_argument(call: cst.Call, argument: cst.Arg) -> cst.Call:
    """Return a call with a keyword argument replaced, or added after the others in their layout."""
    args = list(call.args)
    for index, arg in enumerate(args):
        if name_of(arg) == name_of(argument):
            args[index] = arg.with_changes(value=argument.value)
            return call.with_changes(args=args)
    between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if args and isinstance(args[-1].comma, cst.Comma):  # a trailing one
        two = args[-2].comma if len(args) > 1 else None
        between = two if isinstance(two, cst.Comma) else between
        argument = argument.with_changes(comma=args[-1].comma)
    if args:
        args[-1] = args[-1].with_changes(comma=between)
        end = call.args[-1].whitespace_after_arg
        args[-1] = args[-1].with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
        argument = argument.with_changes(whitespace_after_arg=end)
    return call.with_changes(args=[*args, argument])


def indices(node: cst.Subscript) -> Iterator[cst.BaseExpression]:
    """Yield what is between the brackets, without slices."""
    for element in node.slice:
        if isinstance(element.slice, cst.Index):
            yield element.slice.value


def below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield all nodes in a node, outer ones first."""
    for child in node.children:
        yield child
        yield from below(child)


def held_by(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes that are held by a node itself, in no order."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, cst.CSTNode):
                yield one


def calls_any(node: cst.CSTNode, names: Collection[str]) -> bool:
    """Check whether an expression calls something of these names."""
    calls = (one for one in (node, *below(node)) if isinstance(one, cst.Call))
    return any(called(one) in names for one in calls)


def targets(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield each target of an assignment or a loop: `a` and `b.c` of `a, b.c = …`."""
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from targets(element.value)
    else:
        yield target


def assigned(statement: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield what a statement gives a value: the targets of its assignments, or of its loop."""
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    for part in parts:
        for one in part.targets if isinstance(part, cst.Assign) else ():
            yield from targets(one.target)
    if isinstance(statement, cst.For):
        yield from targets(statement.target)
