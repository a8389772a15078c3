"""Policies of autocast as pure functions of dtypes (ATen/autocast_mode.h, torch 2.13).

    >>> casts("lower_precision", [("float32", True), ("float16", True)], "bfloat16")
    'bfloat16'
    >>> casts("promote", [("float16", True), ("float32", True)], "float16")
    'float32'
    >>> output_dtype("float32_set_opt_dtype", ("float16", True), given=None)
    'float32'

An operand is a pair (dtype, on_device): its canonical dtype, and whether it is on a device of the region's type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...core.dtypes import is_floating_point

Policy = Literal[
    "lower_precision", "float32", "float32_set_opt_dtype", "float32_append_dtype", "promote", "forbidden",
    "refuse_other_half", "float32_and_back",
]  # fmt: skip
Operand = tuple[str, bool]

APPENDS_DTYPE = {
    "aten.norm.Scalar": "aten.norm.ScalarOpt_dtype",
    "aten.norm.ScalarOpt_dim": "aten.norm.ScalarOpt_dim_dtype",
    "aten.norm.names_ScalarOpt_dim": "aten.norm.names_ScalarOpt_dim_dtype",
}
"""The overload that `float32_append_dtype` calls, with `dtype` as its last argument, by op."""

VISION = "torchvision::nms torchvision::roi_align"
"""Ops of torchvision, on every device.

`float32_and_back` gives the first operand's dtype (csrc/ops/autocast, 0.29.1).
"""

ACTS_INSIDE = frozenset(
    f"aten.{op}"
    for op in ("linalg_pinv.atol_rtol_tensor", "ldexp.Tensor", "mvlgamma", "_safe_softmax", "_unsafe_index_put")
)
"""Ops without a policy whose kernel, one for all devices, is made of ops that have one: autocast acts on these.

Fake tensors hide it, since autocast is off in their kernels: judged by the kernels themselves, on cpu.
"""

FORBIDDEN_TEXT = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
UNEXPECTED_TEXT = "Unexpected floating ScalarType in at::autocast::prioritize"


class RefusedError(Exception):
    """Autocast raises instead of running the op; the message is torch's text.

    `odd` is the position among the operands of the one that torch stumbles over (None: the op itself is forbidden),
    `instead` the dtype to cast to if the program is to go on.
    """

    def __init__(self, text: str, *, odd: int | None, instead: str) -> None:
        """Keep what a caller needs to name the operand and go on."""
        super().__init__(text)
        self.odd = odd
        self.instead = instead


def eligible(dtype: str, *, on_device: bool) -> bool:
    """Check whether autocast may cast this tensor.

    Floating (the float8 kinds too), not float64, on the region's device type.

    Holds for Tensor, Tensor? and Tensor[] arguments; a Tensor?[] (the indices of index_put) is left as it is.
    """
    return on_device and dtype != "float64" and is_floating_point(dtype)


def casts(policy: Policy, operands: Iterable[Operand], compute_dtype: str) -> str | None:
    """Return the dtype to which the call's eligible tensors are cast, or None if they stay unchanged.

    `operands` are the call's Tensor and Tensor[] arguments, in order. Leave Tensor? arguments out: torch casts them,
    but they have no vote on the widest dtype (`bias` of bilinear). Only "promote" looks at the operands, and
    "refuse_other_half", which casts nothing: the promotion is deep in a kernel.

    Raises RefusedError where torch does: a forbidden op, or a widest dtype among other than float32 and the region's.
    """
    if policy == "lower_precision":
        return compute_dtype
    if policy in ("float32", "float32_and_back"):
        return "float32"
    if policy == "promote":
        return _widest(operands, compute_dtype)
    if policy == "refuse_other_half":
        _widest(operands, compute_dtype)
    if policy == "forbidden":
        raise RefusedError(FORBIDDEN_TEXT, odd=None, instead="float32")
    return None


def _widest(operands: Iterable[Operand], compute_dtype: str) -> str:
    current = compute_dtype
    for position, (dtype, on_device) in enumerate(operands):
        if not eligible(dtype, on_device=on_device):
            continue
        if "float32" in (current, dtype):
            current = "float32"
        elif dtype != compute_dtype:
            raise RefusedError(UNEXPECTED_TEXT, odd=position, instead="float32")
    return current


def output_dtype(policy: Policy, first: Operand, *, given: str | None) -> str | None:
    """Return what the op's `dtype` argument becomes, with `first` its first tensor; None: it stays absent.

    - float32_set_opt_dtype: what the program gave, else float32 if the first tensor is eligible. No operand is cast.
    - float32_append_dtype: float32, or the first tensor's own dtype if that is not eligible; the call goes to
      `APPENDS_DTYPE`. No operand is cast.
    """
    dtype, on_device = first
    may = eligible(dtype, on_device=on_device)
    if policy == "float32_append_dtype":
        return "float32" if may else dtype
    if policy == "float32_set_opt_dtype":
        return given or ("float32" if may else None)
    return given
