"""Ops that want another kind of number: complex, real, floating, integral, boolean or quantized."""

from __future__ import annotations

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="complex-wanted",
        category="unsupported-dtype",
        texts=(
            "{op:name} is not implemented for tensors with non-complex dtypes",
            "{op:name} requires a complex-valued input tensor",
            "{op:name} expects a complex [input|output] tensor, but got {found}",
            "Only supports complex dtypes, but found: {found}",
            "{op:name}: Expected a complex [tensor|input]",
        ),
        raised_by="torch.imag(torch.ones(2))",
        examples=(
            "RuntimeError: istft requires a complex-valued input tensor matching the output from stft with "
            "return_complex=True.",
        ),
    ),
    Pattern(
        name="complex-refused",
        category="unsupported-dtype",
        texts=(
            "{op:name} [is |]not [supported|yet implemented|implemented] for complex [tensors|inputs|types|input]",
            "{op:name} does not support complex [tensors|inputs|dtypes|input|numbers]",
            "{op:name} on [CPU|CUDA|cuda|MPS] does not support complex [inputs|dtypes]",
            "{op:name}(): does not support complex input",
            "{op:name}: Complex inputs not supported",
            "In-place {op:name} is not supported for complex tensors",
            "Unlike NumPy, {op:name} is not intended to support complex numbers",
            "{op:name}(): Converting complex Scalar to non-complex type is not supported",
            "For non-complex input tensors, argument [alpha|beta] must not be a complex number",
            "{op:name}: Expected a non-complex scalar",
            "{op:name}: [maxnorm|p|order] must be real-valued",
            "{op:name} expects a real[-valued|] input tensor, but got {found}",
            "Unknown Complex ScalarType for {found}",
        ),
        raised_by="torch.floor(torch.ones(2, dtype=torch.complex64))",
        examples=("RuntimeError: Sort does not support complex dtypes on CPU",),
    ),
    Pattern(
        name="floating-wanted",
        category="unsupported-dtype",
        texts=(
            "{op:name} only supports floating-point dtypes",
            "{op:name} distribution is a continuous probability distribution. dtype must be a floating point but you "
            "specified {found}",
            "{op:name} only support floating[ |-]point[ and complex|] dtypes",
            "{...}({found}{...}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
            "{op:name}: expected a tensor with {...}float, double, cfloat or cdouble types",
            "Expected both inputs to be Half, Float or Double tensors but got {a} and {b}",
            "{op:name} is only supported for half, float and double tensors, but got a tensor of scalar type: {found}",
            "This function doesn't handle types other than float and double",
            "Expected isFloatingType(grads[[]i].scalar_type()) to be true, but got false",
        ),
        since="1.5",
        raised_by="torch.polar(torch.ones(2).long(), torch.ones(2))",
    ),
    Pattern(
        name="float-tensor-wanted",
        category="unsupported-dtype",
        texts=(
            "Quantize only works on Float Tensor, got {found}",
            "quantize only works on Float Tensor",
            "{op:name} expects a Float Tensor, got {found}",
            "{op:name} expects a Float Tensor",
        ),
        op="quantize_per_tensor",
        operands=(("expected", "float32", ""),),
        since="1.1",
        raised_by="torch.quantize_per_tensor(torch.ones(2).half(), 0.1, 0, torch.qint8)",
    ),
    Pattern(
        name="integral-wanted",
        category="unsupported-dtype",
        texts=(
            "{op:name} only supports 1-d non-negative integral inputs",
            "~ (operator.invert) is only implemented on [integer and Boolean-type|byte|integer] tensors",
            "{op:name} only supports integral [dtypes|types|inputs|tensors]",
        ),
        op="bitwise_not",
        raised_by="~torch.ones(2)",
    ),
    Pattern(
        name="boolean-refused",
        category="unsupported-dtype",
        texts=(
            "The `+` operator, on a bool tensor is not supported",
            "The input tensor may not be a boolean tensor",
            "{op:name}(): does not support bool input",
            "{op:name} does not support [bool|boolean] [tensors|inputs|dtype]",
        ),
        operands=(("input", "bool", ""),),
        raised_by="+torch.tensor([True])",
    ),
    Pattern(
        name="reduction-of-another-kind",
        category="distributed-dtype",
        texts=(
            "Cannot use ReduceOp.{...} with non-integral dtype",
            "Cannot use ReduceOp.{...} with [Boolean|boolean|bool] [inputs|dtype]",
        ),
        op="all_reduce",
        examples=("ValueError: Cannot use ReduceOp.BAND with non-integral dtype",),
    ),
    Pattern(
        name="type-lacks-method",
        category="unsupported-dtype",
        texts=("Type {found} doesn't implement [stateless |]method {op:name}",),
        until="0.3",
        examples=("TypeError: Type torch.LongTensor doesn't implement stateless method mean",),
    ),
)
