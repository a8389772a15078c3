"""A library's own check that raised: the op is the function that checks, not what the check compares.

triton/language/semantic.py, in dot                      tl.dot
triton/language/semantic.py, in assert_dtypes_valid
    assert lhs_dtype == rhs_dtype
"""

from __future__ import annotations

from ..regex import regex
from .frame import Frame
from .operation import named

_CHECKS = regex(r"_*(?:check|assert|validate|verify|ensure)_")
"""Functions that do nothing but to compare what they are given."""
_DEEP = 5
_OF_KERNELS = frozenset({
    "flashinfer", "sageattention", "flash_attn", "xformers", "bitsandbytes", "mamba_ssm", "fla", "causal_conv1d",
    "sgl_kernel", "liger_kernel", "aiter", "comfy_kitchen", "torch_scatter", "torch_sparse", "torch_cluster",
    "vllm_flash_attn", "flash_attn_interface", "deep_gemm",
})  # fmt: skip
"""Libraries whose functions are ops to those who call them."""
_UNTOLD = frozenset({
    "forward", "backward", "apply", "__call__", "__init__", "<module>", "<lambda>", "wrapper", "inner", "main",
    "__torch_function__", "__torch_dispatch__", "from_pretrained", "create_quantized_param",
})  # fmt: skip


def checked_op(frames: tuple[Frame, ...]) -> str:
    """The function of a library's kernels whose own check raised, where the innermost frame did; "" for another's.

    >>> product = Frame(file="triton/language/semantic.py", function="dot", code="assert lhs == rhs")
    >>> checked_op((product,))
    'tl.dot'
    """
    checks = (
        frame for frame in reversed(frames[-_DEEP:]) if not _CHECKS.match(frame.method)
    )
    frame = next(checks, Frame(file=""))
    if frame.path.endswith(("triton/language/semantic.py", "triton/language/core.py")):
        return f"tl.{frame.method}"
    known = frame.library in _OF_KERNELS and frame.method not in _UNTOLD
    return named(frame.method) if known else ""


def raises_itself(frame: Frame, *, asserted: bool) -> bool:
    """Whether a line does not call what failed, but says that a check of its own did."""
    if frame.library == "torch":
        return False
    if _CHECKS.match(frame.method) and not frame.code:
        return True
    return frame.code.startswith("raise ") or (
        asserted and frame.code.startswith("assert ")
    )
