"""The one op that the line which raised calls: what its kernels and parts are called is torch's own affair.

    mean, spread = torch.var_mean(x, 1)          "std_cpu" not implemented for 'Float8_e4m3fn'
    weights = torch.matmul(q, k.float())         addmv input tensors must have the same dtype

What is written in Python has a frame of its own, so only what torch has in C++ can have failed in the innermost line.
"""

from __future__ import annotations

import builtins
import re

from ..ops import NAMES
from ..regex import regex
from .frame import Frame
from .frame_op import operator
from .operation import named

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
"""What takes every dtype of every device, or is not what is looked for in a line that does more."""
_OF_TORCH = (
    "torch/functional.py",
    "torch/nn/functional.py",
    "torch/_tensor.py",
    "torch/tensor.py",
)
"""Where torch itself calls what its users mean."""
_IN_PIECES = regex(r"torch/(?:_(?!tensor\.py|VF)\w|library\.py)")
"""Where torch takes ops apart and wraps what does."""
_ASSIGNED = regex(r"^[\w.]{1,80}\[.{0,200}\] ?[-+*/|&]?=(?!=)")
"""To places of a tensor: that is an op, too."""
_BUILTINS = frozenset(dir(builtins))


def visible_op(frames: tuple[Frame, ...]) -> str:
    """The only op that the innermost line of code calls; "" where it calls none or several, or is torch's own."""
    outer = [frame for frame in frames if not _IN_PIECES.search(frame.path)]
    if not outer or not outer[-1].code:
        return ""
    frame = outer[-1]
    if frame.library == "torch" and not frame.path.endswith(_OF_TORCH):
        return ""
    return only_op(frame.code)


def only_op(code: str) -> str:
    """The op of a line of code that calls one and uses no operator between tensors.

    >>> only_op("mean, spread = torch.var_mean(x, 1)"), only_op("y = torch.matmul(self.q(x), k.float())")
    ('var_mean', 'matmul')
    >>> only_op("y = torch.matmul(x, w) + b"), only_op("x = self.norm(x.view(1, -1))")
    ('', '')
    """
    if operator(code) or " @ " in code or _ASSIGNED.match(code):
        return ""
    ops = {op for call in _CALL.finditer(code) if (op := _op(call))}
    return ops.pop() if len(ops) == 1 else ""


def _op(call: re.Match[str]) -> str:
    """The op of one call; "" where it is none that is looked for."""
    owner, name = call["owner"] or "", call["name"]
    family = _FAMILIES.match(owner)
    if family:
        name = f"{family['family']}_{name}"
    elif not owner and not call["behind"] and name in _BUILTINS:
        return ""
    plain = name.rstrip("_")
    if plain in _LIGHT:
        return ""
    function = bool(_MODULES.match(owner)) or bool(family)
    op = named(name) if function or plain in NAMES else ""
    if op not in NAMES and op.rstrip("_") not in NAMES:
        return ""
    return op.replace("_", ".", 1) if family and op.startswith(family[1]) else op
