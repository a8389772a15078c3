"""Elementwise ops, type promotion, masks and reductions."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="float8-promotion", category="dtype-mismatch", op="type promotion",
        texts=(
            "Promotion for Float8 Types is not supported, attempted to promote {self} and {other}",
            "Promotion for [Float4|Float8|uint16, uint32, uint64] [Types|types] is not supported, attempted to promote {self} and {other}",
        ),
        op_clues=(OpClue(place="calls"),), raised_by="torch.ones(2).to(torch.float8_e4m3fn) + torch.ones(2)",
    ),
    Pattern(
        name="clamp-result-type", category="dtype-mismatch", op="clamp_",
        # clamp prints the type as C++ has it ("long int"), other ops as a ScalarType ("Long").
        texts=("result type {found} can't be cast to the desired output type [long int|__int64]",),
        operands=(("expected", "int64", ""),),
        implies=("integers-take-floats",),
    ),
    Pattern(
        name="result-type-cast", category="dtype-mismatch",
        texts=(
            "result type {found} can't be cast to the desired output type[ {expected}|]",
            "input types can't be cast to the desired output type {expected}",
        ),
        op_clues=(OpClue(place="changed"), OpClue(place="calls")), usual_op=(OpClue(op="add_"),),
        raised_by="torch.ones(2, dtype=torch.long).add_(torch.ones(2))",
    ),
    Pattern(
        name="value-overflows", category="overflow-nan", op="masked_fill",
        texts=("value cannot be converted to type {self}[ without overflow|]",),
        op_clues=(OpClue(op="full", place="function", words=("causal_mask",), frames=8), OpClue(place="calls")),
        implies=("constant-outside-range",),
        raised_by="torch.ones(2).half().masked_fill_(torch.tensor([True, False]), -1e10)",
    ),
    Pattern(
        name="masked-fill-mask", category="dtype-mismatch", op="masked_fill",
        texts=(
            "masked_fill[_|] only supports boolean masks, but got [mask with |]dtype {mask}",
            "masked_scatter[_|] only supports boolean masks, but got mask with dtype {mask}",
            "expected self to be {...}mask{...}dtype {mask}",
        ),
        raised_by="torch.ones(2).masked_fill_(torch.ones(2).long(), 0)",
    ),
    Pattern(
        name="masked-select-mask", category="dtype-mismatch", op="masked_select",
        texts=("masked_select: expected [BoolTensor or ByteTensor|BoolTensor] for mask",),
        raised_by="torch.masked_select(torch.ones(2), torch.ones(2).long())",
    ),
    Pattern(
        name="masked-scatter-source", category="dtype-mismatch", op="masked_scatter",
        texts=("masked_scatter: expected self and source to have same dtypes but got {self} and {source}",),
        raised_by="torch.ones(2).masked_scatter_(torch.tensor([True, True]), torch.ones(2).half())",
    ),
    Pattern(
        name="where-condition", category="dtype-mismatch", op="where",
        texts=(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {condition}",
            "expected condition to be {...}boolean{...}dtype {condition}",
        ),
        raised_by="torch.where(torch.ones(2), torch.ones(2), torch.ones(2))",
    ),
    Pattern(
        name="mean-of-integers", category="dtype-mismatch", op="mean",
        texts=(
            "{op:name}(): could not infer output dtype. [Input|Optional] dtype must be either a floating point or complex dtype. Got: {input}",
            "{op:name}(): input dtype should be either floating point or complex[ dtypes|]. Got {input}",
            "Can only calculate the mean of floating types. Got {input}",
            "{op:name}(): expected input to have floating point or complex dtype but got {input}",
        ),
        op_clues=(OpClue(place="calls"),), raised_by="torch.ones(2).long().mean()",
    ),
    Pattern(
        name="floating-dtype-only", category="unsupported-dtype",
        texts=(
            "{op:name}(): the desired output dtype should be either floating point or complex. Got {input} instead",
            "std and var only support floating[ |-]point[ and complex|] dtypes",
            "{op:name} only supports floating-point dtypes[, but found: |, X1 got: |, X2 got: | for input, got: | for count, got: ]{input}",
            "{op:name}: Expected a floating point[ or complex|] tensor as input. Got {input}",
            "{op:name}: Low precision dtypes not supported. Got {input}",
            "{op:name}() input tensor must be either float or double dtype",
            "{op:name}() only supports floating[ |-]point dtypes",
            "{op:name} requires a floating point or complex dtype",
            "Only supports floating-point dtypes, but found: {input}",
            "{op:name} expects floating point dtypes, got: {input}",
            "expected common dtype to be floating point, yet common dtype is {input}",
        ),
        raised_by="torch.linalg.inv(torch.ones(2, 2).half())",
    ),
    Pattern(
        name="integral-refused", category="unsupported-dtype",
        texts=(
            "For integral input tensors, argument [alpha|beta] must not be a floating point number",
            "{op:name}: Integral inputs not supported",
        ),
        raised_by="F.kl_div(torch.ones(2).long(), torch.ones(2).long())",
    ),
    Pattern(
        name="bool-arithmetic", category="unsupported-dtype", op="sub",
        texts=(
            "Subtraction, the `-` operator, with [a bool tensor|two bool tensors] is not supported",
            "Negation, the `-` operator, on a bool tensor is not supported",
        ),
        operands=(("self", "bool", ""),), implies=("boolean-arithmetic",), raised_by="1 - torch.tensor([True])",
    ),
    Pattern(
        name="same-dtype-named", category="dtype-mismatch",
        texts=(
            "{op:name}(): self and source expected to have the same dtype, but got (self) {self} and (source) {source}",
            "{op:name}(): self and source expected to have the same dtype, but got self.dtype = {self} and source.dtype = {source}",
            "{op:name}(): self and out expected to have the same dtype, but got self.dtype = {self} and out.dtype = {out}",
            "{op:name}(): self ({self}) and source ({source}) must have the same scalar type",
            "{op:name}: expected {...} to have the same dtype[,|] but [got|found] {a} and {b}",
        ),
        raised_by="torch.ones(3).index_add_(0, torch.tensor([0]), torch.ones(1).half())",
    ),
    Pattern(
        name="expects-same-dtype", category="dtype-mismatch",
        texts=(
            "_chunk_cat expects all input tensors with the same dtype",
            "meshgrid expects all tensors to have the same dtype",
            "All tensors must have the same dtype, got input1: {input1} input2: {input2}",
            "torch.{op:name}(): Expected {...} same dtype",
            "tensors must all have the same type",
            "{op:name}(): expected input and grid to have same dtype, but input has {input} and grid has {grid}",
            "{op:name}() q tensor must be same dtype as the input tensor",
            "Expected the dtype for input and out to match, but got {input} for input's dtype and {out} for output's dtype",
            ("{op:name}: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
             "got input({input}), and weight({weight})"),
            "{op:name}: expected x and y to have the same dtype{...}{a}{...}{b}",
        ),
        raised_by="torch.meshgrid(torch.ones(2), torch.ones(2).half(), indexing='ij')",
    ),
    Pattern(
        name="tensor-split-dtype", category="dtype-mismatch", op="tensor_split",
        texts=("tensor_split expected tensor_indices_or_sections to have dtype of long, but got {indices}",),
        raised_by="torch.tensor_split(torch.ones(3), torch.tensor([1], dtype=torch.int32))",
    ),
    Pattern(
        name="requires-grad-dtype", category="dtype-mismatch", op="requires_grad",
        texts=("only Tensors of floating point [and complex |]dtype can require gradients",),
        op_clues=(OpClue(op="Parameter", place="file", words=("parameter.py",)),),
        raised_by="torch.ones(2).long().requires_grad_()", implies=("integer-parameter",),
    ),
    Pattern(
        name="data-set-dtype", category="dtype-mismatch", op="tensor.data",
        texts=("data set to a tensor that requires gradients must be floating point or complex dtype",),
        raised_by="torch.ones(2, requires_grad=True).data = torch.ones(2).long()", implies=("integer-parameter",),
    ),
    Pattern(
        name="finfo-of-integers", category="unsupported-dtype", op="finfo",
        texts=("torch.finfo() requires a floating point input type", "torch.iinfo() requires an integer input type"),
        raised_by="torch.finfo(torch.int8)", implies=("integer-parameter",),
    ),
)
