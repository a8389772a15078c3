"""The one op that the line which raised calls: what its kernels and parts are called is torch's own affair.

    mean, spread = torch.var_mean(x, 1)          "std_cpu" not implemented for 'Float8_e4m3fn'
    weights = torch.matmul(q, k.float())         addmv input tensors must have the same dtype

What is written in Python has a frame of its own, so only what torch has in C++ can have failed in the innermost line.
"""

from __future__ import annotations

import builtins
import re

from ..core.ops import NAMES
from ..core.regex import regex
from .frame import Frame
from .frame_op import NOT_OPS, OPERATORS, operator, operators
from .operation import called_as, extension, named

_CALL = regex(
    r"(?:(?P<owner>[A-Za-z_][\w.]{0,80})\.|(?P<behind>[\])])\.)?(?P<name>[A-Za-z_]\w{0,60})\("
)
_MODULES = regex(
    r"^(?:torch|F|TF|th|nn|functional|torch\.nn|_VF|_C)(?:\.(?:functional|nn|_C|_nn|_VF|_VariableFunctions|nn\.functional))*$"
)
_FAMILIES = regex(r"^(?:torch\.)?(?P<family>fft|linalg|special|sparse)$")
_LIGHT = frozenset({
    "view", "reshape", "permute", "transpose", "squeeze", "unsqueeze", "expand", "expand_as", "contiguous", "t",
    "size", "dim", "item", "tolist", "detach", "clone", "numel", "type", "cpu", "cuda", "to", "half", "float",
    "double", "long", "int", "bool", "bfloat16", "numpy", "flatten", "chunk", "split", "narrow", "select", "unbind",
    "zeros", "ones", "empty", "full", "arange", "zeros_like", "ones_like", "empty_like", "full_like", "tensor",
    "as_tensor", "backward", "save", "load", "copy", "new_zeros", "new_ones", "new_full", "new_empty", "diagonal",
    "real", "imag", "movedim", "swapaxes", "wait", "seed", "manual_seed", "result_type", "tensor_split", "unfold",
})  # fmt: skip
"""Ops that accept every dtype on every device, or that do not matter in a line with others."""
_OF_TORCH = regex(
    r"torch/(?:functional|nn/functional|_tensor|tensor|nn/modules/\w{1,40})\.py$"
)
"""Files in which torch calls the op that its user meant."""
_IN_PIECES = regex(
    r"torch/(?:_(?!tensor\.py|VF)\w|library\.py)|triton/(?:runtime|compiler|backends)/"
)
"""Files in which torch decomposes ops and wraps such code, and Triton launches kernels."""
_ASSIGNED = regex(r"^[\w.]{1,80}\[.{0,200}\] ?[-+*/|&]?=(?!=)")
"""To places of a tensor: that is an op, too."""
_CHANGED = regex(r"^[\w.]{1,80} ?(\*\*|//|[-+*/%&|^])= ?(?!=)")
_SLICED = regex(r"\[[^\[\]]{0,80}:[^\[\]]{0,80}\]")
"""Slices, whose arithmetic is on indices."""
_PICKED = regex(r"\w\[[^\]\"':\d-]")
"""Places of a tensor by others, maybe."""
_CALLED = regex(
    r"^(?:[\w\s,.*()\[\]]{1,100} ?= ?|return )?(?P<owner>(?:[A-Za-z_]\w*\.){0,6})(?P<name>[A-Za-z_]\w{0,60})\("
)
_DIRECTIONS = frozenset({
    "forward", "backward", "fwd", "bwd", "apply", "forward_cuda", "backward_cuda", "run", "call",
})  # fmt: skip
_WRAPPERS = frozenset({
    "forward_call", "_call_impl", "fn", "func", "function", "target", "wrapper", "inner", "op", "kernel", "model",
    "main", "loss_fn", "criterion", "callback", "method", "step", "train", "_op", "f",
})  # fmt: skip
_SET = regex(r"[-+*/|&]?=(?!=)")
_GRAPHS = ("torch_geometric", "torch_sparse", "dgl")
"""Libraries whose tensors have methods of extensions."""
_LAUNCHED = regex(r"^(?:[\w, ]{1,80} = )?(?:\w{1,60}\.){0,4}(\w{3,80})\[.{1,200}\]\(")
_UNARY = {"-": "neg", "~": "bitwise_not"}
_SHORTEST = 4
_SEVERAL = "several"
_BUILTINS = frozenset(dir(builtins))
_OF_PYTHON = _BUILTINS.union(*map(dir, (list, dict, str, set)))
"""Its functions, and methods of what is no tensor: none of them is an extension's."""
_OF_NO_EXTENSION = _OF_PYTHON | _LIGHT | _WRAPPERS


def visible_op(frames: tuple[Frame, ...]) -> str:
    """Return the only op that the innermost line of code calls.

    "" where it calls none or several, or is torch's own.
    """
    frame = _outer(frames)
    if frame.library == "torch" and not _OF_TORCH.search(frame.path):
        return ""
    return _marked_op(frame) or only_op(frame.code)


def launched(frames: tuple[Frame, ...]) -> str:
    """Return the kernel of Triton's that the innermost line launches; "" for none.

    >>> launched((Frame(file="ops.py", code="_softmax_kernel[(rows,)](x, out)"),))
    '_softmax_kernel'
    """
    found = _LAUNCHED.match(_outer(frames).code)
    return found[1] if found else ""


def _outer(frames: tuple[Frame, ...]) -> Frame:
    """Return the innermost frame outside torch's and Triton's internals; an empty one if there is none."""
    outer = (frame for frame in reversed(frames) if not _IN_PIECES.search(frame.path))
    return next(outer, Frame(file=""))


def _marked_op(frame: Frame) -> str:
    """Return the op of the part of a line that Python marks; "" where it marks none, or it has none or several.

    >>> _marked_op(Frame(file="a.py", code="s = a * b + c", marked="a * b", sign="*"))
    'mul'
    >>> _marked_op(Frame(file="a.py", code="self.k[page, off] = k", marked="self.k[page, off]", sign="[page, off]"))
    'index_put_'
    """
    if frame.sign in OPERATORS:
        return OPERATORS[frame.sign]
    if frame.sign.startswith("["):
        behind = frame.code.partition(frame.marked)[2].lstrip()
        return "index_put_" if _SET.match(behind) else "index"
    if frame.marked[:1] in _UNARY and not operator(frame.marked[1:]):
        return _UNARY[frame.marked[0]]
    return only_op(frame.marked) or _only_call(frame.marked)


def _only_call(marked: str) -> str:
    """Return the op of a marked part that is a single call, whatever it calls: `to` for "a.to(device)"."""
    calls = list(_CALL.finditer(marked))
    alone = len(calls) == 1 and calls[0]["owner"] and marked.endswith(")")
    return called_as(calls[0]["name"]) if alone and calls[0]["name"] in _LIGHT else ""


def only_op(code: str) -> str:
    """Return the op of a line of code that has one: a call, or one kind of operator between tensors.

    >>> only_op("mean, spread = torch.var_mean(x, 1)"), only_op("y = torch.matmul(self.q(x), k.float())")
    ('var_mean', 'matmul')
    >>> only_op("y = torch.matmul(x, w) + b"), only_op("x = self.norm(x.view(1, -1))"), only_op("ids *= 0.5")
    ('', '', 'mul')
    """
    code = code.removeprefix(">>> ").strip()
    if _ASSIGNED.match(code):
        return ""
    ops = {*map(_op, _CALL.finditer(code)), _operator(_SLICED.sub("[:]", code))} - {""}
    return ops.pop() if len(ops) == 1 and _SEVERAL not in ops else ""


def _operator(code: str) -> str:
    """Return the op of the operators of a line.

    `_SEVERAL` of several, or where places of a tensor are picked as well.
    """
    changed = _CHANGED.match(code)
    if changed:
        return OPERATORS[changed[1]]
    product = " @ " in code
    told = operator(code) if not product else "matmul"
    several = operators(code) - {told} if product else not told and operators(code)
    return _SEVERAL if several or (told and _PICKED.search(code)) else told


def changed_op(frames: tuple[Frame, ...]) -> str:
    """Return the op of a line that changes a tensor in place: of "img += torch.randn(n) * s" the sum; "" of another."""
    changed = _CHANGED.match(frames[-1].code) if frames else None
    return OPERATORS[changed[1]] if changed else ""


def called(frames: tuple[Frame, ...]) -> str:
    """Return the extension's function that the innermost line calls, if it is not torch's; "" for none.

    >>> called((Frame(file="ops.py", code="return ops.implicit_gemm(features, filters)"),))
    'implicit_gemm'
    """
    if not frames or frames[-1].library in ("torch", "python"):
        return ""
    found = _CALLED.match(frames[-1].code)
    if found is None:
        return ""
    name = found["name"]
    own = found["owner"].startswith(("self", "super", "cls"))
    if own and frames[-1].library not in _GRAPHS:
        return extension(name)
    if name in _DIRECTIONS:
        name = found["owner"].rstrip(".").rpartition(".")[2]
    short = len(name) < _SHORTEST or name[:1].isupper()
    return "" if short or name in _OF_NO_EXTENSION else called_as(name)


def _op(call: re.Match[str]) -> str:
    """Return the op of one call; "" if it is not one of those looked for."""
    owner, behind, name = call.groupdict("").values()
    family = _FAMILIES.match(owner)
    if family:
        return _of_family(family["family"], name)
    if owner == "torch_npu":
        return named(name)
    if _is_light(owner, behind, name):
        return ""
    of_torch = _MODULES.match(owner)
    if of_torch and name[0] == "_" and name not in NOT_OPS:
        return named(name)  # of torch's functions, also one without a name for all
    op = named(name) if of_torch or name.rstrip("_") in NAMES else ""
    return op if NAMES & {op, op.rstrip("_")} else ""


def _is_light(owner: str, behind: str, name: str) -> bool:
    if owner == "self" or name.rstrip("_") in _LIGHT:
        return True
    return not (owner or behind) and name in _BUILTINS


def _of_family(family: str, name: str) -> str:
    return f"{family}.{name}" if NAMES & {f"{family}_{name}", name} else ""
