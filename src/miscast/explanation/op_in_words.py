"""The op that a message of a compiler or a runtime tells in its own form: a dialect's, a graph node's, a kernel's.

>>> op_in_words("error: 'mps.multiply' op requires the same element type for all operands")
'mul'
>>> op_in_words("call aclnnCast failed, detail:EZ1001"), op_in_words("Could not find an op")
('cast', '')
"""

from __future__ import annotations

import re

from .operation import named

_DIALECTS = (
    "mps|mhlo|stablehlo|chlo|tosa|linalg|tpu|ttir|ttnn|onnx|torch\\.aten|hivm|hfusion"
)
_TOLD = re.compile(
    rf"['\"](?:{_DIALECTS})\.(\w{{2,40}})['\"](?: op\b|\()|\(\"mps_(\w{{2,40}})\"\("  # MLIR
    r"|\baclnn([A-Z][A-Za-z]{1,50}?)(?:V\d)? (?:failed|or )"  # CANN
    r"|\(op_type: (\w{2,40})\)|[Ii]n op, of type (\w{2,40}),"  # Core ML
    r"|<Node\((\w{2,40})\)|node 'v\d{1,2}::(\w{2,40}) |src/op/(\w{2,40})\.cpp:"  # OpenVINO
    r"|\bnode (?:with name )?'?\(?/(?:[\w.]{1,60}/){0,12}([A-Z]\w{1,40}?)(?:_\d{1,5})?['\")]"  # ONNX
    r"|\bop: q::(\w{2,40})"  # QNN
    r"|(\w{2,40})\([^()]{0,80}\) an internal invariant was violated"  # TVM
    r"|precisions in %([a-z-]{2,40})[.\d]"  # XLA
)
_MEANT = {
    "select": "where", "dot": "matmul", "dot_general": "matmul", "convolution": "conv2d",
    "batch-norm-inference": "batch_norm", "batch-norm-training": "batch_norm",
    "batch-norm-grad": "batch_norm", "concatenate": "cat", "reduce_sum": "sum",
    "dynamic-update-slice": "index_put_", "exponential": "exp", "logistic": "sigmoid",
    "QuantMatmulWeightNz": "matmul", "QuantMatmul": "matmul",
}  # fmt: skip
"""What compilers call an op otherwise than torch."""


def op_in_words(text: str) -> str:
    """The op's one name; "" where none of the forms stands in the text."""
    found = _TOLD.search(text)
    if found is None:
        return ""
    word = found[found.lastindex or 0]
    return _MEANT.get(word) or named(word)
