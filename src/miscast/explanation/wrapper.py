"""The name of torch's own wrapper of a kernel, which messages about devices tell: dispatch key, overload and op.

wrapper_CUDA_mm, wrapper_CUDA__index_select      no overload
wrapper_CUDA_Tensor_bucketize                    torch 2, as its torchgen writes them
wrapper_CUDA_scatter__value                      older: the overload comes last
"""

from __future__ import annotations

from collections.abc import Callable

from ..regex import regex

_WRAPPER = regex(r"^wrapper_+(?:[A-Z]{2,12}|[A-Z]\w{2,20}?)_(?=[A-Za-z_])")
"""torch's own wrapper of a kernel: the dispatch key, the overload, the op."""
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
