"""The op that a message of a compiler or a runtime tells in its own form: a dialect's, a graph node's, a kernel's.

>>> op_in_words("error: 'mps.multiply' op requires the same element type for all operands")
'mul'
>>> op_in_words("call aclnnCast failed, detail:EZ1001"), op_in_words("Could not find an op")
('to', '')
"""

from __future__ import annotations

import re

from ..ops import NAMES
from ..regex import regex
from .operation import named

_DIALECTS = (
    "mps|mhlo|stablehlo|chlo|tosa|linalg|tpu|ttir|ttnn|onnx|torch\\.aten|hivm|hfusion"
)
_TOLD = regex(
    rf"['\"](?:{_DIALECTS})\.(\w{{2,40}})['\"](?: op\b|\()|\(\"mps_(\w{{2,40}})\"\("  # MLIR
    r"|\baclnn(?:Inplace)?([A-Z][A-Za-z0-9]{1,50}?)(?:V\d)? ?(?:failed|or |or\b|does)"  # CANN
    r"|\(op_type: (\w{2,40})\)|[Ii]n op, of type (\w{2,40}),"  # Core ML
    r"|<Node\((\w{2,40})\)|node 'v\d{1,2}::(\w{2,40}) |src/op/(\w{2,40})\.cpp:"  # OpenVINO
    r"|\bnode (?:with name )?'?\(?/(?:[\w.]{1,60}/){0,12}([A-Z]\w{1,40}?)(?:_\d{1,5})?['\")]"  # ONNX
    r"|\bop: q::(\w{2,40})"  # QNN
    r"|(\w{2,40})\([^()]{0,80}\) an internal invariant was violated"  # TVM
    r"|precisions in %([a-z-]{2,40})[.\d]"  # XLA
    r"|not implemented: %(?!custom)([a-z][a-z-]{1,40})[.\d]"
    r"|in operator aten::(\w{2,40})\b"  # ExecuTorch
    r"|\b(?:native|impl|xpu|cuda|cpu|meta)::(\w{2,40}?)_kernel(?:_cuda|_cpu|_xpu|_impl)?\(at::"  # a kernel's C++ name
    r"|\bloc\(\"(\w{2,40})/"  # MPSGraph's names
    r"|\bin node \((?:[\w./]{1,80}?_)?([a-z]{2,20}\d?d?)(?:_\d{1,5})?\)"  # ONNX, as other exporters name nodes
    r"|\b(b?gemm|gemv|dot) input type\b"  # cuBLAS as torch calls it
    r"|\bop type (\w{2,40}) is not found in this op store|^([A-Z][a-z]{2,20}) argument element types"
    r"|shape_fn\.aten\.(\w{2,40})"
    r"|custom_call_target=\"(\w{2,40})\""  # XLA
    r"|\b([A-Z]\w{2,40}) failed with error code"  # FlashInfer
    r"|\brun meta for aten\.(\w{2,40})|\bwhile running (\w{2,40}) node"
    r"|[Ww]hile parsing node number \d{1,5} \[(\w{2,40})"  # TensorRT's importer
    r"|compute_forward: (\w{2,40}) failed"  # ggml
    r"|\bin node \(([A-Z][A-Za-z]{2,30})\)"  # ONNX, nodes without names
    r"|call_function <built-in (?:function|method) (\w{2,40})[ >]"  # torch.compile
    r"|\bvoid (\w{2,60}?)_kernel_wrapper\("
    r"|\btriton_(?:poi|red|per|tem)_fused_(_?to_copy|[a-z]+)_\d{1,4}\b"  # inductor's, of one op
    r"|\b(?:in|of) node \((?:[\w./]{1,80}/)?([A-Z][A-Za-z]{1,30})_\d{1,5}\)"
    r"|\boperator onnx::(\w{2,40})"
    r"|output arg \((?:/?[\w.]{1,60}/){0,12}([A-Z][A-Za-z]{1,40}?)(?:Def)?(?:_output)?_\d"  # ONNX
    r"|^(?:\w{1,40}: )?torch\.(\w{3,40}): "  # what speaks of itself
    r"|\bin method wrapper_+(?:[A-Z]{2,8}_+)?([a-z]\w{1,60})|\bloc\(\"(varianceEps)\""  # of MPSGraph's normalization
    r"|\bhas no attribute 'c(\w{3,40}?)(?:_(?:cpu|fp32|fp16|bf16|nf4|fp4|[48]bit|32bit))*'"  # bitsandbytes
    r"|\bIBuilder::(\w{3,60}): Error Code|prc: \w{2,8} in ['`](\w{3,40})|\b(mat_a)\.dtype=\S{1,40} and mat_b"
    r"|\b(indices) must be int64, byte or bool|invalid device function (\w{4,60})$"
    r"|\b(arg_pad) element type|\btriton_(?:poi|red|per|tem)_fused_(?:\w{1,80}_)?(_to_copy)_"
    r"|\bbad dtype in (\w{3,40})|\b[Cc]an only (tilize|untilize) "
    r"|\b(?:cu|hip|roc|mu)blas[A-Za-z]{0,10}?(LtMatmul|Gemm(?:Strided)?Batched|_gemm_(?:strided_)?batched)"
)
_CPP = regex(
    r"(?:frame #\d{1,3}: |\b(?:XLANativeFunctions|AtenXlaType|AtenIpexTypeXPU|NPUNativeFunctions)::)"
    r"(?:[\w:*&<> ]{1,80} )?(?:\w{1,60}::){0,5}(\w{3,60})(?:<[^()]{0,80}>)?\("
)
_PRETTY = regex(
    r"\b(\w{3,60})\((?:[\w:<>&* ]{1,60}, ){0,40}[\w:<>&* ]{1,60}\)(?: const)?::<lambda"
)
"""A function as C++ names it to itself: "Prefill::BeginForward(at::Tensor, unsigned int)::<lambda()>"."""
_FILE = regex(r"\b([A-Za-z]\w{2,40})\.(?:cpp|cu|cc|mm)\b(?:[:,\"(]| line)")
_LIBRARY_S = regex(r"^[A-Z][a-z]\w{0,20}Ops_(?=\w)")
"""What stands before an op in the names of files: SpconvOps_get_indice_pairs.cc."""
_DIRECTION = regex(
    r"_?(?:cuda|cpu|gpu|npu|xpu|hip|sycl|kernels?|impl|ops?|api|interface|forward|fwd|bwd|backward|launcher|templates?|"
    r"sm\d{2,3}a?|opapi|op|v\d)(?=_|$)"
)
_NO_FILES = regex(
    r"^(?:Tensor|Type|Module|Context|Copy|Utils?|Exception|Storage|init|main|bind|python|torch|c10|at_|engine|model|"
    r"executor|method|compiler|Dispatch|Registrations|Parallel|Reduce|Op|kernel|graph|session|backend|program|runtime|"
    r"common|helper|base|register|Legacy|Variable|Functions|check|error|log|ggml)|Util|Blas|Base|Impl$|Helper|Kernels$",
    re.IGNORECASE,
)
"""Files that are named after no op."""
_NO_OPS = regex(
    r"Error|^check|data_ptr|^data$|^item|TensorBase|TypeMeta|toTensor|^call|^operator|^raise|^throw|torchCheck|^const_data|"
    r"^get|Boxed|^run|^invoke|^at_|^expect|^PyEval|^cast|^exception",
    re.IGNORECASE,
)
"""Functions that raise, or are on the way to the op."""
_OLD_FILES = regex(
    r"^thc|^spatial|_(?:session|client|methods|analysis|args|types|util|memcpy|frame)$|tensor$|^layers$|^negemm"
)
"""Files of torch before 1.0 and of runtimes, that are no ops either."""
_MEANT = {
    "select": "where", "dot": "matmul", "dot_general": "matmul", "convolution": "conv2d",
    "batch-norm-inference": "batch_norm", "batch-norm-training": "batch_norm",
    "batch-norm-grad": "batch_norm", "concatenate": "cat", "reduce_sum": "sum",
    "dynamic-update-slice": "index_put_", "exponential": "exp", "logistic": "sigmoid",
    "GemmBatched": "bmm", "GemmStridedBatched": "bmm", "_gemm_batched": "bmm", "_gemm_strided_batched": "bmm",
    "arg_pad": "pad", "mat_a": "_grouped_mm", "indices": "index", "varianceEps": "layer_norm", "LtMatmul": "matmul",
    "bgemm": "bmm", "gemm": "matmul", "gemv": "mv",
    "RandomNormal": "randn", "RandomUniform": "rand",
    "ResizeBilinear": "interpolate", "ResizeNearest": "interpolate", "TopK": "topk",
    "Adds": "add", "Subs": "sub", "Muls": "mul", "Divs": "div", "RealDiv": "div",
    "QuantMatmulWeightNz": "matmul", "QuantMatmul": "matmul",
}  # fmt: skip
"""What compilers call an op otherwise than torch."""


def op_in_words(text: str) -> str:
    """The op's one name; "" where none of the forms stands in the text."""
    pretty = _PRETTY.search(text)
    if pretty is not None:
        return pretty[1]
    found = _TOLD.search(text)
    word = found[found.lastindex or 0] if found else _of_cpp(text)
    return _MEANT.get(word) or named(word)


def op_of_file(text: str) -> str:
    """The op that the C++ file of a check is named after: "rope.cpp, line 100"; "" where it is named after none."""
    stems = (
        _DIRECTION.sub("", _LIBRARY_S.sub("", stem).lower())
        for stem in _FILE.findall(text)
        if not _NO_FILES.search(stem)
    )
    ops = map(named, filter(None, stems))
    return next((op for op in ops if op in NAMES or not _OLD_FILES.search(op)), "")


def _of_cpp(text: str) -> str:
    """The innermost function of a C++ backtrace that is an op's; "" where none is."""
    names = [name for name in _CPP.findall(text) if not _NO_OPS.search(name)]
    return next((name for name in names if named(name) in NAMES), "") or next(
        iter(names), ""
    )
