"""Convolution, normalization, embedding and recurrent layers."""

from ..pattern import OpClue, Pattern

_CONVOLUTIONS = tuple(
    OpClue(op=op, place="words", words=(f"f.{op}(", f"functional.{op}"), frames=4)
    for op in ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv1d", "conv3d")
)
PATTERNS = (
    Pattern(
        name="input-weight-type", category="dtype-mismatch", op="conv2d",
        texts=(
            "Input type ({input}) and weight type ({weight})[| should be the same]",
            "Input type ({input}) and weight type ({weight}) should be the same or input should be a MKLDNN tensor and weight is a dense tensor",
            "Input type ({input}) and bias type ({bias})[| should be the same]",
        ),
        op_clues=_CONVOLUTIONS,
        raised_by="F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 1, 1).half(), torch.ones(1).half())",
    ),
    Pattern(
        name="cpu-mixed-dtype", category="dtype-mismatch", op="layer_norm",
        texts=(
            "mixed dtype (CPU): expect [parameter|input] to have scalar type of {parameter}",
            "mixed dtype (CPU): all inputs must share same datatype",
        ),
        op_clues=(OpClue(place="calls"),), operands=(("input", "", "cpu"),),
        raised_by="F.layer_norm(torch.ones(2, 4).bfloat16(), (4,), torch.ones(4).half(), torch.ones(4).half())",
    ),
    Pattern(
        name="rnn-hidden-dtype", category="dtype-mismatch", op="lstm",
        texts=(
            ("Input and [hidden|parameter] tensors are not the same dtype, found input tensor with {input} and "
             "[hidden|parameter] tensor with {hidden}"),
        ),
        op_clues=(OpClue(place="calls"),),
    ),
    Pattern(
        name="rnn-input-dtype", category="dtype-mismatch", op="lstm",
        texts=("RNN input dtype ({input}) does not match weight dtype ({weight})",), op_clues=(OpClue(place="calls"),),
        raised_by="torch.nn.LSTM(2, 2)(torch.ones(1, 1, 2).double())",
    ),
    Pattern(
        name="rnn-hidden-device", category="device-mismatch", op="lstm",
        texts=(
            ("Input and [hidden|parameter] tensors are not at the same device, found input tensor at {input:device} and "
             "[hidden|parameter] tensor at {hidden:device}"),
        ),
        op_clues=(OpClue(place="calls"),),
    ),
    Pattern(
        name="embedding-indices-type", category="dtype-mismatch",
        texts=(
            ("Expected tensor for argument #{n:int} {arg:name} to have scalar type {expected}[;|] but got {found}"
             "[| instead] (while checking arguments for {op:name})"),
            ("Expected tensor for argument #{n:int} {arg:name} to have one of the following scalar types: {expected}, "
             "{...}; but got {found}[| instead] (while checking arguments for {op:name})"),
            ("Expected tensor for argument #{n:int} {arg:name} to have [scalar type |one of the following scalar types: ]"
             "{expected}{...}; but got {found}"),
        ),
        raised_by="F.embedding(torch.ones(2), torch.ones(3, 3))",
    ),
    Pattern(
        name="argument-types-differ", category="dtype-mismatch",
        texts=(
            ("Expected tensor for argument #{n:int} {arg:name} to have the same type as tensor for argument #{m:int} "
             "{other:name}; but type {found} does not equal {expected} (while checking arguments for {op:name})"),
            ("Expected tensor for argument #{n:int} {arg:name} to have the same type as tensor for argument #{m:int} "
             "{other:name};[| but type {found} does not equal {expected}]"),
        ),
        # since torch 1.8 a convolution says "Input type (…)"
        usual_op=(OpClue(op="batch_norm", place="argument", words=("input",)),),
    ),
)
