"""Missing features of MPS and Metal below it, and type mismatches of their graphs."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="mps-lacks-float64", category="unsupported-dtype", op=".to(mps)",
        texts=(
            "Cannot convert [a|an] MPS Tensor to {self} dtype as the MPS framework doesn't support",
            "Cannot convert [a|an] MPS Tensor to {self}",
        ),
        operands=(("self", "", "mps"),), implies=("backend-lacks-dtype",),
    ),
    Pattern(
        name="mps-lacks-dtype", category="unsupported-dtype", op=".to(mps)",
        texts=(
            "[Error|Exception]: Undefined type {self}",
            "Trying to convert {self} to the MPS backend but it does not have support for that dtype",
            "{self} is not supported on MPS", "Conversion from {self} to {...}MPS",
            "MPS does not support {op:name} op with {self} input",
            "MPS: {op:name} op with {self} input is supported natively starting from",
            "MPS device does not support {op:name} for non-float inputs",
            "{op:name} on MPS {...} not support[ed|] for {self}", "MPS: {...}unsupported {...}{self}",
            "Complex types are unsupported on MPS", "Failed to create function state object for: {op:name}",
            "Unsupported type byte size: {self}",
        ),
        operands=(("self", "", "mps"),), implies=("backend-lacks-dtype",),
        examples=("TypeError: BFloat16 is not supported on MPS",),
    ),
    Pattern(
        name="mps-element-types", category="dtype-mismatch",
        texts=(
            "mps.{op:name} op detected operation with both {a} and {b} operands",
            "mps.{op:name} op requires the same element type for all operands and results{...}):({a},{b})",
            "mps.{op:name} op requires the same element type for all operands and results",
        ),
        operands=(("one tensor", "", "mps"),),
        examples=("error: 'mps.matmul' op detected operation with both F16 and F32 operands which is not supported",),
    ),
    Pattern(
        name="mps-narrows-integers", category="unsupported-dtype",
        texts=("MPS: no support for {found} {...}casting [it |]to {expected}", "MPS: {...}does not support {found}"),
        operands=(("self", "", "mps"),), implies=("backend-lacks-dtype",),
    ),
    Pattern(
        name="metal-refuses-dtype", category="unsupported-dtype", library="mps",
        texts=("failed assertion {...}Unsupported [datatype|data type|dataType]",),
        op_clues=(OpClue(op="sdpa", place="message", words=("scaleddotproductattention",)),),
        operands=(("operand", "", "mps"),), implies=("backend-lacks-dtype",),
    ),
)
