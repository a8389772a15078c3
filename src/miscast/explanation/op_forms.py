r"""The forms in which compilers, runtimes and libraries name an op in their messages: data only, for `op_in_words.py`.

Each form has one group, the name: "call aclnn(\w+) failed". Of a text the one that begins first in it is read; of those
that begin at one place, the first of this list.
"""

_DIALECTS = r"mps|mhlo|stablehlo|chlo|tosa|linalg|tpu|ttir|ttnn|onnx|torch\.aten|hivm|hfusion|tfl"
_NODE = r"(?:[\w./]{1,80}/)?"
"""The prefix of an op in the name of a graph's node."""

FORMS = (
    # MLIR
    rf"['\"](?:{_DIALECTS})\.(\w{{2,40}})['\"](?: op\b|\(| that was explicitly)",
    r"\(\"mps_(\w{2,40})\"\(",
    # CANN
    r"\baclnn(?:Inplace)?([A-Z][A-Za-z0-9]{1,50}?)(?:V\d)? ?(?:failed|or |or\b|does)",
    r"\b(?:op type|optype|op_type|OpType|operator name is)[:=]? ?\[?([A-Z]\w{2,40})\b",
    # Core ML
    r"\(op_type: (\w{2,40})\)",
    r"[Ii]n op, of type (\w{2,40}),",
    # OpenVINO
    r"node 'v\d{1,2}::(\w{2,40}) ",
    r"src/op/(\w{2,40})\.cpp:",
    r"^([A-Z][a-z]{2,20}) argument element types",
    r"\b(arg_pad) element type",
    r"Conversion is failed for: aten::(\w{2,40})",
    # ONNX, by the names that exporters give to nodes
    r"\bnode (?:with name )?'?\(?/(?:[\w.]{1,60}/){0,12}([A-Z]\w{1,40}?)(?:_\d{1,5})?['\")]",
    r"\bin node \((?:[\w./]{1,80}?_)?([a-z]{2,20}\d?d?)(?:_\d{1,5})?\)",
    rf"\b(?:in|of) node \({_NODE}([A-Z][A-Za-z]{{1,30}})_\d{{1,5}}\)",
    rf"\bName: ?['\"]/?{_NODE}([A-Z][A-Za-z]{{1,30}}?)(?:_\d{{1,5}})?['\"]",
    r"\boperator onnx::(\w{2,40})",
    r"output arg \((?:/?[\w.]{1,60}/){0,12}([A-Z][A-Za-z]{1,40}?)(?:Def)?(?:_output)?_\d",
    # TensorRT
    r"[Ww]hile parsing node number \d{1,5} \[(\w{2,40})",
    r"\bIBuilder::(\w{3,60}): Error Code",
    r"Converting node (\w{2,60}?)(?:_\d{1,4})? \(kind: ",
    r"\b[Ll]ayer (?:of )?\[(\w{3,40}) #\d",
    r"\b([A-Z]\w{2,30})_\d{1,5}: cannot use precision",
    # ExecuTorch and QNN
    r"in operator aten::(\w{2,40})\b",
    # TVM
    r"(\w{2,40})\([^()]{0,80}\) an internal invariant was violated",
    r"shape_fn\.aten\.(\w{2,40})",
    # XLA
    r"precisions in %([a-z-]{2,40})[.\d]",
    r"not implemented: %(?!custom)([a-z][a-z-]{1,40})[.\d]",
    # MPSGraph
    r"\bloc\(\"(varianceEps)\"",
    # torch's C++
    r"\bin method (wrapper_+\w{0,40}?[a-z]{2}\w{0,40})",
    r"\baten::(\w{2,60})(?:\.\w{1,40})?['\"]?.{0,60}fall back",
    r"\bdummy base class (\w{3,40})",
    r"^(?:\w{1,40}: )?torch\.(?:\w{2,20}\.)?(\w{3,40})(?:\(\))?: ",
    r"\b(?:cu|hip|roc|mu)blas[A-Za-z]{0,10}?(LtMatmul|Gemm(?:Strided)?Batched|_gemm_(?:strided_)?batched)",
    # torch.compile
    r"\brun meta for aten\.(\w{2,40})",
    r"call_function <(?:built-in (?:function|method)|function) (\w{2,40})[ >]",
    r"call_function\[target=(?:torch\.ops\.aten\.|torch\.nn\.functional\.|_operator\.|operator\.|torch\.)(\w{2,60})",
    r"\btarget: (?:aten|torchvision|prims|quantized|torchao)\.(\w{2,60})",
    r"\btriton_(?:poi|red|per|tem)_fused_(_?to_copy|[a-z]+)_\d{1,4}\b",
    r"\btriton_(?:poi|red|per|tem)_fused_(?:\w{1,80}_)?(_to_copy)_",
    r"\b(indices) must be int64, byte or bool",
    r"\b(test_elements)\.dtype",
    r"\bbad dtype in (\w{3,40})",
    # kernels
    r"\bvoid (\w{2,60}?)_kernel_wrapper\(",
    r"CUDA kernel (\w{3,80}) has no device code",
    r"invalid device function (\w{4,60})$",
    r"compute_forward: (\w{2,40}) failed",
    # extensions
    r"\b([A-Z]\w{2,40}) failed with error code",
    r"\bhas no attribute 'c(\w{3,40}?)(?:_(?:cpu|fp32|fp16|bf16|nf4|fp4|[48]bit|32bit))*'",
    r"\b(q_dtype) == torch::k",
)

MEANT = {
    "select": "where", "dot": "matmul", "dot_general": "matmul", "convolution": "conv2d",
    "batch-norm-inference": "batch_norm", "batch-norm-training": "batch_norm", "batch-norm-grad": "batch_norm",
    "concatenate": "cat", "reduce_sum": "sum", "dynamic-update-slice": "index_put_", "exponential": "exp",
    "logistic": "sigmoid", "GemmBatched": "bmm", "GemmStridedBatched": "bmm", "_gemm_batched": "bmm",
    "_gemm_strided_batched": "bmm", "arg_pad": "pad", "mat_a": "_grouped_mm", "indices": "index",
    "test_elements": "isin", "varianceEps": "layer_norm", "LtMatmul": "matmul", "q_dtype": "flash_attn",
    "truediv": "div", "CONVOLUTION": "conv2d", "bgemm": "bmm", "gemm": "matmul", "gemv": "mv",
    "RandomNormal": "randn", "RandomUniform": "rand", "ResizeBilinear": "interpolate",
    "ResizeNearest": "interpolate", "TopK": "topk", "Adds": "add", "Subs": "sub", "Muls": "mul", "Divs": "div",
    "RealDiv": "div", "QuantMatmulWeightNz": "matmul", "QuantMatmul": "matmul",
}  # fmt: skip
"""Compilers' names of ops that differ from torch's."""
