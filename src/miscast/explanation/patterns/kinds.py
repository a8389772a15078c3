"""Ops that want another kind of number: complex, real, floating, integral, boolean or quantized."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="complex-wanted", category="unsupported-dtype",
        texts=(
            "{op:name} is not implemented for tensors with non-complex dtypes",
            "{op:name} requires a complex-valued input tensor",
            "{op:name} is only supported for complex tensors",
            "{op:name} expects a complex [input|output] tensor, but got {found}",
            "Only supports complex dtypes, but found: {found}",
        ),
        raised_by="torch.imag(torch.ones(2))",
    ),
    Pattern(
        name="complex-refused", category="unsupported-dtype",
        texts=(
            "{op:name} [is |]not [supported|yet implemented|implemented] for complex [tensors|inputs|types|input]",
            "{op:name} does not [|currently |yet ]support complex [tensors|inputs|dtypes|input|numbers|types|values]",
            "{op:name} expects standard deviation to be non-complex",
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
            "{op:name}: [atol|rtol] tensor of complex type is not supported. Got {found}",
        ),
        raised_by="torch.floor(torch.ones(2, dtype=torch.complex64))",
    ),
    Pattern(
        name="floating-wanted", category="unsupported-dtype",
        texts=(
            "{op:name} only supports floating-point dtypes",
            (
                "{op:name} distribution is a continuous probability distribution. dtype must be a floating point but you "
                "specified {found}"
            ),
            "{op:name} only support floating[ |-]point[ and complex|] dtypes",
            "Complex dtype is not supported for {op:name}, got dtype {found}",
            "{op:name}({found}{...}): expected a tensor [with 2 or more dimensions of float|of floating point or]",
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got {a} acc_dtype and {b} inputs",
            "{op:name} supports floating point, complex, and integer tensors, but got {found}",
            "{op:name} expects a floating point [input|output] tensor, but got {found}",
            "Expected both inputs to be Half, Float or Double tensors but got {a} and {b}",
            "{op:name} is only supported for [half, |]float and double tensors, but got a tensor of scalar type: {found}",
            "This function doesn't handle types other than float and double",
            "{op:name} is not available for non-floating tensors",
        ),
        raised_by="torch.polar(torch.ones(2).long(), torch.ones(2))",
    ),
    Pattern(
        name="gradient-not-floating", category="dtype-mismatch", op="backward",
        texts=("Expected isFloatingType({...}) to be true, but got false",),
    ),
    Pattern(
        name="float-tensor-wanted", category="unsupported-dtype", op="quantize_per_tensor",
        texts=(
            "Quantize only works on Float Tensor, got {found}",
            "quantize only works on Float Tensor",
            "{op:name} expects a Float Tensor, got {found}",
            "{op:name} expects a Float Tensor",
        ),
        operands=(("expected", "float32", ""),),
        raised_by="torch.quantize_per_tensor(torch.ones(2).half(), 0.1, 0, torch.qint8)",
    ),
    Pattern(
        name="integral-wanted", category="unsupported-dtype", op="bitwise_not",
        texts=(
            "{op:name} only supports 1-d non-negative integral inputs",
            "~ (operator.invert) is only implemented on [integer and Boolean-type|byte|integer] tensors",
        ),
        raised_by="~torch.ones(2)",
    ),
    Pattern(
        name="boolean-refused", category="unsupported-dtype",
        texts=(
            "The `+` operator, on a bool tensor is not supported",
            "The input tensor may not be a boolean tensor",
            "{op:name}(): does not support bool input",
            "{op:name}: received a bool input for {...}, but bool is not supported",
            "[Bool|Boolean] inputs not supported for {op:name}",
            "{op:name} does not support [bool|boolean] [tensors|inputs|dtype]",
            "{op:name}(): bool dtype is not supported for input",
        ),
        operands=(("input", "bool", ""),), raised_by="+torch.tensor([True])",
    ),
    Pattern(
        name="two-that-do-not-match", category="dtype-mismatch",
        texts=(
            "Expected the dtype for input and out to match, but got {input} for input's dtype and {out} for out's dtype",
            "RuntimeError: {a} did not match {b}",
            "{op:name}(): all tensors must have be the same dtype but tensor 0 is",
            "Bad in-place call: input tensor dtype {input} and output tensor dtype {out} should match",
            "{op:name}: dtype of out: {out} should be same as input: {input}",
            "Expected scalar types of {...} are same",
            "the [output|base] given to {op:name} has dtype {found} but the operation's result requires dtype {expected}",
            "{op:name} can't be cast to the desired output type {expected}",
            "{op:name}: result type {found} can't be cast to the desired out= type {expected}",
            "{op:name}() expects exponent to have int dtype but got {found}",
            "{op:name}(): Expected floating point type for result tensor, but got: {found}",
            "{op:name}(): sorter must be a tensor of {...}dtype but got dtype {found}",
            "{op:name}(): expected {...} to have [floating point|integral] dtype but got {...} with {found} dtype",
            "{op:name} does not support non-boolean outputs",
            "output indices must be of scalar type {expected}",
            "elements in indices should be type {expected}",
            "[input_lengths|target_lengths] must be integral",
            "Expected canCast(typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true",
            "{op:name}(): Expected a {expected} for index, but got {found}",
            "{op:name}: Expected pivots to be integers. Got {found}",
            "{op:name}: LU_pivots is expected to be a contiguous tensor of {expected}",
            "{op:name} found unexpected index type {found}",
            "{op:name}: pivots should be a Tensor of scalar type {expected}",
            "{op:name}(): output tensor's dtype is wrong, it can only be {...}but we got output tensor's dtype {found}",
        ),
        raised_by="torch.ones(2).index_copy_(0, torch.ones(1), torch.ones(1))",
    ),
    Pattern(
        name="two-halves-under-autocast", category="dtype-mismatch",
        texts=("Unexpected floating ScalarType in at::autocast::prioritize",), op="autocast",
        op_clues=(OpClue(place="calls"),),
        raised_by=(
            "with torch.autocast('cpu', torch.bfloat16):\n"
            "    torch.cat([torch.ones(2).half(), torch.ones(2).bfloat16()])"
        ),
    ),
    Pattern(
        name="integers-refused", category="unsupported-dtype",
        texts=(
            "Integers to negative integer powers are not allowed",
            "Integer division with addcdiv is no longer supported",
        ),
        op_clues=(OpClue(op="pow", place="message", words=("powers",)), OpClue(op="addcdiv", place="message", words=("addcdiv",))),
        raised_by="torch.ones(2, dtype=torch.long).pow(-1)",
    ),
    Pattern(
        name="type-lacks-method", category="unsupported-dtype",
        texts=(
            "Type {found} doesn't implement [stateless |]method {op:name}",
            "Type {found} doesn't implement stateless methods",
            "check_random_bounds handles only integral, floating-point and boolean types",
            "'torch.[cuda.|]{found}' object has no attribute '{op:name}'",
        ),
        unless=("'torch.tensor'", "torch.size", "torch.device"),
    ),
)
