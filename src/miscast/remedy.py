"""What to write instead, derived from where the blamed operand got its dtype or device.

mask = torch.ones(x.shape[0], 1)   ->  give `ones` its dtype at data.py:12: torch.ones(x.shape[0], 1, dtype=x.dtype)
erode = nn.Conv2d(1, 1, 3)         ->  cast the module: erode.to(torch.float16)
unet(latent.float())               ->  drop the cast at train.py:40, or cast to torch.float16 there
"""

from __future__ import annotations

import ast
import re

from . import cause as causes
from .cause import Cause
from .dtypes import facts
from .event import Call, Event, Location
from .finding import Fix

_EXACT = frozenset({"ones", "zeros", "eye", "ones_like", "zeros_like", "new_ones", "new_zeros", "empty", "new_empty"})

_OFFLOAD = "accelerate/hooks.py"
_KEPT = re.compile(r"self\.(\w+)\s*=\s*(\S.*)")


def fixes(call: Call, cause: Cause) -> tuple[Fix, ...]:
    """One or two ways out, the better one first."""
    found = [_at_origin(call, cause)]
    if cause.about == "dtype" and cause.innocent is not None:
        found.append(_at_call(call, cause))
    return tuple({fix.title: fix for fix in found}.values())


def place(location: Location | None) -> str:
    """The words for a place: "data.py:12"."""
    return f"{location.file.rpartition('/')[2]}:{location.line}" if location else "an unknown line"


def factory(event: Event) -> str:
    """The name of the call that made a tensor, without its owner: "ones"."""
    return event.op.rpartition(".")[2]


def widens(source: str, target: str) -> bool:
    """Whether every value of dtype `source` is a value of dtype `target`."""
    a, b = facts(source), facts(target)
    return a.max <= b.max and a.mantissa <= b.mantissa and a.tiny >= b.tiny and a.min >= b.min


def _at_origin(call: Call, cause: Cause) -> Fix:
    if cause.about == "device":
        return _move(call, cause)
    promotion = cause.promotion
    event = promotion.source if promotion and promotion.source else (cause.chain[-1] if cause.chain else None)
    safe = _is_safe(cause, event)
    if promotion is not None and event is not None:
        return Fix(title=_before_promotion(promotion, event, cause.wanted), safe=safe)
    if causes.is_parameter(cause.blamed) and (event is None or event.kind in ("born", "loaded")):
        return Fix(title=f"cast the module: {_module(call, event)}.to({_spell(cause.wanted)})", safe=safe)
    if event is None or event.location is None:
        return _at_call(call, cause)
    return Fix(title=_at_event(event, cause.wanted), safe=safe)


def _at_event(event: Event, wanted: str, beside: str = "") -> str:
    where = place(event.location)
    if event.kind == "born":
        return _at_birth(event, wanted, beside)
    if event.kind == "cast":
        return f"drop the cast at {where}, or cast to {_spell(wanted)} there"
    if event.kind == "loaded":
        return f"load it as {wanted} at {where}, or cast it after loading: .to({_spell(wanted)})"
    if event.kind == "autocast":
        return f"{event.op} returns {event.dtype} under autocast ({where}): cast its result with .to({_spell(wanted)})"
    return f"cast it where it is made, at {where}: .to({_spell(wanted)})"


def _before_promotion(promotion: Event, forced: Event, wanted: str) -> str:
    """The operand that forced a promotion is cast before it: at its birth, or at its own cast."""
    ours = forced.location is not None and (forced.library is None or _function_result(forced) is not None)
    if ours and forced.kind in ("born", "cast", "loaded"):
        beside = promotion.location.code if promotion.location else ""
        return _at_event(forced, wanted, beside)
    where = place(promotion.location)
    return f"cast the {forced.dtype} operand of `{factory(promotion)}` before it, at {where}: .to({_spell(wanted)})"


def _function_result(event: Event) -> str | None:
    """The call of a library's function on a line (`embed(t, 320)`), whose result is the tensor; no class's."""
    tree = _parse(event.location.code) if event.location else None
    value = tree.value if isinstance(tree, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return None
    name = ast.unparse(value.func).rpartition(".")[2]
    return _short(ast.unparse(value)) if name.islower() else None


def _at_birth(event: Event, wanted: str, beside: str) -> str:
    """With the line's call rewritten, where it stands there; `beside` is a line that reads tensors of that dtype."""
    where, name = place(event.location), factory(event)
    code = event.location.code if event.location else ""
    tree = _parse(code)
    call = _call_of(tree, name)
    if call is not None and event.library is None:
        like = _shared_name(call, beside)
        return f"give `{name}` its dtype at {where}: {_with(call, dtype=f'{like}.dtype' if like else _spell(wanted))}"
    result = _function_result(event) if event.library is not None else None
    return f"cast it where it is born, at {where}: {result or ''}.to({_spell(wanted)})"


def _at_call(call: Call, cause: Cause) -> Fix:
    safe = widens(cause.blamed.tensor.dtype, cause.wanted)
    name = cause.blamed.name
    if causes.is_parameter(cause.blamed):
        return Fix(title=f"cast the module: {_module(call, None)}.to({_spell(cause.wanted)})", safe=safe)
    return Fix(
        title=f"cast `{name}` before {call.op} at {place(call.location)}: .to({_spell(cause.wanted)})", safe=safe
    )


def _move(call: Call, cause: Cause) -> Fix:
    target = f'.to("{cause.wanted}")'
    event = cause.event
    unregistered = _unregistered(call, cause)
    if unregistered:
        return Fix(title=f"{unregistered}, so that `.to()` reaches it", safe=True)
    if event is not None and event.kind == "moved" and event.library and event.library.file.endswith(_OFFLOAD):
        hook = f"the hook of {place(event.location)} moves it for its forward alone"
        return Fix(title=f"call the module, not a method of it: {hook}", safe=True)
    if causes.is_parameter(cause.blamed):
        return Fix(title=f"move the module: {_module(call, event)}{target}", safe=True)
    if event is not None and event.location is not None and event.kind == "moved":
        return Fix(title=f"move it to {cause.wanted} instead, at {place(event.location)}", safe=True)
    if event is not None and event.location is not None and event.kind == "born":
        made = _call_of(_parse(event.location.code), factory(event))
        if made is not None and event.library is None:
            written = _with(made, **_as_beside(call, cause, made))
            return Fix(title=f"make it on {cause.wanted}, at {place(event.location)}: {written}", safe=True)
    return Fix(title=f"move `{cause.blamed.name}` before {call.op}, at {place(call.location)}: {target}", safe=True)


def _unregistered(call: Call, cause: Cause) -> str:
    """How a module is to keep what it holds in a list, or as a plain tensor; "" if it does neither."""
    lines = [line for name, line in call.held if name == cause.blamed.name]
    kept = [(found, line) for line in lines if (found := _KEPT.match(line.code))]
    if causes.is_parameter(cause.blamed):
        listed = next(((found, line) for found, line in kept if found[2][0] in "[({"), None)
        if listed is None:
            return ""
        found, line = listed
        container = "ModuleDict" if found[2][0] == "{" else "ModuleList"
        return f"keep `{found[1]}` in a torch.nn.{container}, at {place(line)}"
    for found, line in kept if call.location.module else ():
        if f"self.{found[1]}" in call.location.code:
            return f'register it, at {place(line)}: self.register_buffer("{found[1]}", {_short(found[2])})'
    return ""


def _as_beside(call: Call, cause: Cause, made: ast.Call) -> dict[str, str]:
    """The device for a factory call; the dtype with it, where the default one would promote what it meets."""
    like = _shared_name(made, call.location.code)
    written = {"device": f"{like}.device" if like else f'"{cause.wanted}"'}
    other = cause.innocent.tensor.dtype if cause.innocent else ""
    born = cause.event.dtype if cause.event else ""
    if cause.blamed.tensor.dtype == born == "float32" and other in ("float16", "bfloat16"):
        written = {"dtype": f"{like}.dtype" if like else _spell(other), **written}
    return written


def _module(call: Call, event: Event | None) -> str:
    """The module to convert: as its birth line names it, else the root of the module path at the call."""
    tree = _parse(event.location.code) if event and event.location else None
    root = (call.location.module or "module").partition(".")[0]
    used = _used_at_once(tree, root)
    if used is not None:
        return _short(ast.unparse(used))
    if isinstance(tree, ast.Assign) and not isinstance(tree.targets[0], ast.Tuple) and _makes_module(tree.value):
        name = ast.unparse(tree.targets[0])
        path = call.location.module or ""
        if not name.startswith("self."):
            return name
        return path or name
    return root


def _used_at_once(tree: ast.stmt | None, kind: str) -> ast.Call | None:
    """What makes a module that gets no name: `nn.Linear(2, 2)` of `y = nn.Linear(2, 2)(x)`."""
    for node in ast.walk(tree) if tree else ():
        made = node.func if isinstance(node, ast.Call) else None
        if isinstance(made, ast.Call) and ast.unparse(made.func).rpartition(".")[2] == kind:
            return made
    return None


def _makes_module(value: ast.expr) -> bool:
    """Whether it is a call that may give a module: most of torch's own functions give tensors."""
    if not isinstance(value, ast.Call):
        return False
    owner, _, name = ast.unparse(value.func).rpartition(".")
    if owner in ("torch.hub", "torch.jit") or name == "compile":
        return True
    return name != "Parameter" and not (owner.partition(".")[0] == "torch" and name[:1].islower())


def _is_safe(cause: Cause, event: Event | None) -> bool:
    exact = event is not None and event.kind == "born" and factory(event) in _EXACT
    exact = exact and not causes.is_parameter(cause.blamed)  # a layer's weight is filled after it was born
    return exact or widens(cause.blamed.tensor.dtype, cause.wanted)


def _spell(dtype: str) -> str:
    return f"torch.{dtype}"


def _short(code: str) -> str:
    return code if len(code) <= 60 else code[:59] + "…"


def _parse(code: str) -> ast.stmt | None:
    """The statement of one line of source, also where it opens a block; None if it is only a part of one."""
    for text in (code, f"{code}\n pass", code.rstrip(",")):
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return body[0] if body else None
    return None


def _call_of(tree: ast.stmt | None, name: str) -> ast.Call | None:
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
            return node
    return None


def _shared_name(call: ast.Call, beside: str) -> str | None:
    """`latent`, if the call already reads `latent`'s shape and `latent` stands on the line where they meet."""
    other = _parse(beside)
    if other is None:
        return None
    names = {node.id for node in ast.walk(other) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in ast.walk(call):
        if not isinstance(node, ast.Attribute) or node.attr not in ("shape", "size", "device", "ndim"):
            continue
        if isinstance(node.value, ast.Name) and node.value.id in names:
            return node.value.id
    return None


def _with(call: ast.Call, **keywords: str) -> str:
    """The call with these keywords set, its other arguments left out if they are long."""
    kept = [ast.unparse(argument) for argument in call.args]
    for keyword in call.keywords:
        if keyword.arg is None:
            kept.append(f"**{ast.unparse(keyword.value)}")
        elif keyword.arg not in keywords:
            kept.append(f"{keyword.arg}={ast.unparse(keyword.value)}")
    shown = kept if len(", ".join(kept)) <= 48 else ["…"]
    written = [f"{name}={value}" for name, value in keywords.items()]
    return f"{ast.unparse(call.func)}({', '.join([*shown, *written])})"
