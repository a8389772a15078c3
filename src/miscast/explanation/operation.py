"""One name per op, whatever a message or a kernel calls it.

>>> named("wrapper_CUDA_addmm"), named("_thnn_nll_loss_forward"), named("aten.mul.Tensor")
('linear', 'nll_loss', 'mul')
>>> kernel("LayerNormKernelImpl"), kernel("upsample_nearest2d_out_frame"), kernel("addmm_cuda")
(('layer_norm', None), ('interpolate', None), ('linear', 'cuda'))
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..core.ops import NAMES, OPS, by
from ..core.regex import regex

_SAME = {**by(lambda op: op.schemas), **by(lambda op: op.aliases)}
_BEGINNINGS = by(lambda op: op.begins)
_COMPILED = by(lambda op: op.begins if op.compiled else "")
_LAYERS = by(lambda op: op.layers)
_KERNELS: dict[str, tuple[str, str | None]] = {
    kernel: (op.name, device) for op in OPS for kernel, device in op.kernels.items()
}
_FRONT = regex(
    r"^(?:wrapper_+|ufunc_|(?:\w{1,20}_)?C::|F\.|(?:NPU|XPU|HPU|XLA|HIP|PrivateUse1|Meta)_+|CUDA_+|CPU_+|MPS_+|_?_?th_|s__th_|_?thnn_|_?s_th_|"
    r"torchvision[.:]+|torch\.|aten[.:_]+|torch_|at::native::|native_|"
    r"(?:mps|mhlo|stablehlo|tosa|tpu)\.|aclnn)",
    re.IGNORECASE,
)
_DEVICE = regex(
    r"_?(cuda|gpu|cpu|mps|xpu|npu|hpu)(?:_template|_out_template|_frame)?_?$",
    re.IGNORECASE,
)
_BACK = regex(
    r"(?:_?kernel_?impl|_?kernel|_out_frame|_out|_template|"
    r"_?backward\d?|_?forward|_internal|_impl|_frame|\.(?:tensor|scalar|default|out|int|dim_intlist)|_vml|_index|_reduce|"
    r"_2d|_lastdim|_wrapper(?:_fast|_stack)?|_gpu)$",
    re.IGNORECASE,
)

_THNN = regex(
    r"^(?:cuda)?(?:half|float|double|long|int)?(\w{1,60}?)_(?:updateoutput|updategradinput|accgradparameters)$"
)
"""Function names of layers in torch before 0.4: CudaHalfSpatialConvolutionMM_updateOutput."""
_OVERLOAD = regex(r"(?<!^fft)(?<!^linalg)(?<!^special)\.[a-z_]\w{0,40}$")
"""Overloads in the dispatcher's spelling: std.correction, empty.memory_format."""
_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_INSIDE = regex(r"_(cuda|cpu|mps|xpu|npu|hpu)_")
_WRAPPER = regex(r"^wrapper_+(?:[A-Z]{2,12}|[A-Z]\w{2,20}?)_(?=[A-Za-z_])")
"""torch's own wrapper of a kernel: the dispatch key, the overload, the op.

wrapper_CUDA_mm, wrapper_CUDA__index_select      no overload
wrapper_CUDA_Tensor_bucketize                    torch 2, as its torchgen writes them
wrapper_CUDA_scatter__value                      older: the overload comes last
"""
_OVERLOADS = frozenset({
    "out", "tensor", "scalar", "int", "float", "complex", "dim", "str", "generator", "bool", "vec", "dtype", "input",
    "periodic", "list", "correction", "data", "array", "values", "self", "padding", "x", "dx", "other", "device",
    "unary", "mode", "all", "stable", "intlist", "scalar2", "atol", "rtol", "new", "dims", "indices", "enum", "output",
    "prim", "scalarrayint", "tensorarrayint", "beta", "bins", "hacked", "twin", "low", "outtensor", "m", "sublist",
    "using", "ints", "start", "step", "from", "to", "value", "scalarself", "scalarother", "bin", "ct", "tensorlist",
    "right", "alpha", "inverse", "size", "names", "name", "dimname", "sections", "source", "src", "reduce", "twod",
    "order", "tensorarray", "scalarint", "scalararray", "n", "p", "u", "t", "grad", "like", "center", "two", "or",
    "scalarrayarray", "scalaropt", "layout", "min", "max", "left", "a", "rcond", "dict", "decimals", "any", "tol", "l",
    "ord", "idx", "q", "memory", "format", "indexing", "sizes", "eigvals", "outscalar",
})  # fmt: skip
"""The words of overloads' names, in lower case."""


def named(name: str) -> str:
    """Return the op's canonical name, or "". An unknown op keeps its name, without wrapper and backend."""
    name = unwrapped(name, _known)
    return _strip(name.lower() if "_" in name and not name.islower() else name)[0]


def called_as(name: str) -> str:
    """Return the op of a function that a program calls: its one name where the whole of it is known, else its own.

    >>> called_as("multiply"), called_as("multiply_add")
    ('mul', 'multiply_add')
    """
    return named(name) if _known(name.lower().strip("_")) else name.strip("_")


def _known(name: str) -> bool:
    return name in NAMES or name in _SAME


def kernel(name: str) -> tuple[str, str | None]:
    """Return the op and the device of a kernel, as torch's dispatch macros name it."""
    return _KERNELS.get(name.lower()) or _strip(name)


def extension(name: str) -> str:
    """Return the op of the compiled extension that a file or function is named after; "" if it is unknown."""
    low = name.lower()
    return next((op for word, op in _COMPILED.items() if word in low), "")


def _strip(name: str) -> tuple[str, str | None]:
    text = name.strip("_.:<>()' ")
    layer = _THNN.match(text.lower())
    if layer is not None:
        return _LAYERS.get(layer[1], layer[1]), None
    # the overload: aten.where.self
    if text.count(".") > 1 and text.startswith("aten."):
        text = text.rpartition(".")[0]
    plain = _OVERLOAD.sub("", text)
    text = plain if plain.lower() in NAMES else text
    text, device = _peeled(text)
    low = text.lower()
    if low in _SAME:
        where = _DEVICE.search(low)
        return _SAME[low], where[1] if where else device
    # CamelCase is taken apart; PReLU and CONV2D are known as they are
    plain = low if low in NAMES else _HUMP.sub("_", text).lower()
    inside = _INSIDE.search(plain)
    return _family(plain), device or (inside and inside[1])


def _peeled(text: str) -> tuple[str, str | None]:
    """Return a name without torch's prefixes and suffixes, up to a known name, and the device that they named."""
    device = None
    for _ in range(12):
        low = text.lower()
        if low in _SAME or low in NAMES:
            break
        where = _DEVICE.search(text)
        if where and where.start():
            text = text[: where.start()]
            device = where[1].lower().replace("gpu", "cuda")
            continue
        end = _FRONT if _FRONT.match(text) else _BACK
        shorter = end.sub("", text, count=1).strip("_:") or text
        if shorter == text:
            break
        text = shorter
    return text, device


def _family(name: str) -> str:
    """Return the op of a longer name: an overload or a variant, or a word that many kernels begin with."""
    if name in _SAME:
        return _SAME[name]
    known = "" if name in NAMES else _leading(name)
    families = (op for word, op in _BEGINNINGS.items() if name.startswith(word))
    return _SAME.get(known, known) or next(families, "") or name


def _leading(name: str) -> str:
    """Return the longest op that a name begins with, up to an underscore; "" for none."""
    end = len(name)
    while end > 0:
        if name.startswith("_and_", end):  # reshape_and_cache is no reshape
            return ""
        if name[:end].rstrip("_") in NAMES or f"linalg_{name[:end]}" in NAMES:
            return name[:end].rstrip("_")
        end = name.rfind("_", 0, end)
    return ""


def unwrapped(name: str, known: Callable[[str], bool]) -> str:
    """Return the op that a wrapper wraps, without an overload before it; any other name is returned unchanged.

    >>> unwrapped("wrapper_CUDA_Tensor_out_isin_out", {"isin"}.__contains__), unwrapped("addmm", {"isin"}.__contains__)
    ('isin', 'addmm')
    """
    wrapped = _WRAPPER.match(name)
    if wrapped is None:
        return name
    words = name[wrapped.end() :].split("_")
    for start in range(1, len(words)):
        if words[start - 1] and words[start - 1].lower() not in _OVERLOADS:
            break
        op = "_".join(words[start:]).strip("_").lower().removesuffix("_out")
        if known(op):
            return op
    return name[wrapped.end() :]
