"""The oldest messages: "expected scalar type", "Expected object of …", "Found dtype … but expected …"."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="object-of-type", category="dtype-mismatch",
        texts=(
            "Expected object of type {expected} but found type {found} for argument #{n:int} {arg:name}[| in call to {op:name}]",
            "Expected object of scalar type {expected} but got scalar type {found} for argument #{n:int} {arg:name} in call to {op:name}",
            "Expected object of scalar type {expected} but got scalar type {found} for argument #{n:int} {arg:name}",
            "Expected object of scalar type {expected} but got scalar type {found} for argument #{n:int} in call to {op:name}",
            "Expected object of scalar type {expected} but got scalar type {found}",
            "Expected object of [data|scalar] type {expected} but got [data|scalar] type {found}",
            "expected backend {expected:device} and dtype {expected} but got backend {found:device} and dtype {found}",
            "expected device {expected:device} and dtype {expected} but got device {found:device} and dtype {found}",
        ),
        usual_op=(OpClue(op="nll_loss", place="first dtype", words=("int64",)), OpClue(op="elementwise")),
    ),
    Pattern(
        name="sequence-element-type", category="dtype-mismatch", op="cat",
        texts=(
            ("Expected object of [scalar type|type] {expected} but [got scalar type|found type|got type] {found} for "
             "sequence [element|elment] {n:int} in sequence argument at position #{m:int} {arg:name}"),
        ),
    ),
    Pattern(
        name="sequence-element-backend", category="device-mismatch", op="cat",
        texts=(
            ("Expected object of [backend|device type] {expected:device} but got [backend|device type] {found:device} "
             "for sequence element {n:int} in sequence argument at position #{m:int} {arg:name}"),
        ),
    ),
    Pattern(
        name="object-of-backend", category="device-mismatch",
        texts=(
            ("Expected object of [backend|device type] {expected:device} but got [backend|device type] {found:device} "
             "for argument #{n:int} {arg:name} in call to {op:name}"),
            ("Expected object of [backend|device type] {expected:device} but got [backend|device type] {found:device}[| "
             "for argument #{n:int} {arg:name}]"),
            "expected {expected:device} tensor (got {found:device} tensor)",
        ),
        examples=("RuntimeError: expected CPU tensor (got CUDA tensor)",),
    ),
    Pattern(
        name="expected-scalar-type", category="dtype-mismatch",
        texts=("expected scalar type {expected} but [found|got][| scalar type] {found}",),
        usual_op=(
            OpClue(op="nll_loss", place="first dtype", words=("int64",)),
            OpClue(op="linear", place="dtype", words=("float64",)),
            # since torch 2.1 a linear layer says "mat1 and mat2 must have the same dtype"
            OpClue(op="layer_norm", place="function", words=("_wrapped_call_impl",), frames=200),
            OpClue(op="linear"),
        ),
        raised_by="torch.bmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2).half())",
    ),
    Pattern(
        name="found-dtype-in-backward", category="dtype-mismatch",
        texts=("Found dtype {found} but expected {expected}",), op="backward", op_clues=(OpClue(place="calls"),),
        raised_by=(
            "x = torch.ones(3, requires_grad=True)\n"
            "F.mse_loss(x, torch.ones(3).double(), reduction='sum').double().backward()\n"
            "F.binary_cross_entropy(torch.full((3,), 0.5), torch.ones(3).double())"
        ),
    ),
    Pattern(
        name="tensor-iterator-dtype", category="dtype-mismatch",
        texts=(
            "expected dtype {expected} for {arg:name}[,|] but got dtype {found}",
            "expected dtype {expected} for {arg:name}, but got {found}",
            "expected dtype {expected} but got dtype {found}",
            "expected dtype {expected}, but got {found}",
            "expected type {expected} but got type {found}",
            "expected type {expected} but got {found}",
            "must be divisible by {n:int} to view {a} as {b}",
            "common_dtype_ != ScalarType::Undefined INTERNAL ASSERT FAILED",
        ),
        op_clues=(OpClue(place="calls"), OpClue(op="lerp_", place="argument", words=("weight",))),
        usual_op=(OpClue(op="mse_loss", place="dtype", words=("int64",)), OpClue(op="elementwise")),
        raised_by="torch.lerp(torch.ones(2), torch.ones(2).half(), 0.5)",
    ),
    Pattern(
        name="typed-tensor-got", category="dtype-mismatch", texts=("expected {expected} (got {found})",),
        usual_op=(OpClue(op="conv2d"),),
    ),
    Pattern(
        name="fake-tensor-operands", category="dtype-mismatch", lists="fake tensors",
        texts=(
            "Failed running call_method {op:name}(*(FakeTensor(",
            "[Failed running|fake tensors:] call_[function|method] {op:name}(*(FakeTensor(",
            "[Failed running|fake tensors:] call_function <built-in method {op:name} of type object{...}(*(FakeTensor(",
        ),
        unless=("mustmatch", "sizeof", "shape", "dimension", "outofrange", "datadepend", "invalidfor", "unexpectedkey"),
    ),
    Pattern(
        name="fits-no-signature", category="dtype-mismatch", lists="signatures",
        texts=(
            "{op:name} received an invalid combination of arguments - got ({...}tensor{...} expected",
            "{op:name} received an invalid combination of arguments - got ({...}tensor",
        ),
    ),
    Pattern(
        name="type-unknown-to-aten", category="unsupported-dtype", op="torch.Tensor",
        texts=("Unsupported TypeMeta in ATen: {...}",), implies=("library-refuses-dtype",),
    ),
    Pattern(
        name="invalid-gradient", category="dtype-mismatch", op="backward",
        texts=(
            "Function {op:name} returned an invalid gradient at index {n:int} - expected type {expected} but got {gradient}",
            "invalid gradient at index {n:int} - expected [type|dtype] {expected} but got {gradient}",
        ),
    ),
    Pattern(
        name="invalid-gradient-device", category="device-mismatch", op="backward",
        texts=(
            "Function {op:name} returned an invalid gradient at index {n:int} - expected device {expected:device} but got {gradient:device}",
            "invalid gradient at index {n:int} - expected device {expected:device} but got {gradient:device}",
        ),
    ),
)
