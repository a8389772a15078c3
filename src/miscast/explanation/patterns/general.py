"""The remaining messages, of unknown origin, that say that two operands differ in dtype or device."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="dtypes-named-beside", category="dtype-mismatch", library="",
        texts=(
            "have the same [dtype|data type|type], [but got|got|but found|found][|:] {a}[ and |, | vs | vs. | != |]{b}",
            "[must|should] be [the |]same [dtype|data type|type]{...}got[|:] {a}[ and |, | vs | != ]{b}",
            "datatype mismatch[:|,|] {a}[|,| and | vs | != ] {b}",
            "[dtype|type|data type] mismatch[:|,|] {...}{a} {...}[and|vs|vs.|!=|but] {...}{b}",
            "[dtype|data type] mismatch[:|] {a}, {b}",
            "[dtype|data type] mismatch in {op:name}: {a}[,| and| vs] {b}",
            "expected dtype[|:] {expected}, [but got|got|found|but found|provided|actual][|:| dtype| dtype:] {found}",
            "expected {arg:name} to [be|have dtype|be of dtype|be of type] {expected}, [but got|got|but found] {found}",
            "[expects|expected|requires] {...}dtype {expected}{...}[got|found|given] {...}{found}",
            "[dtype|data type] of {...} ({a}) {...} ({b})",
            "dtype mismatch[:|,|!|] [expected|expected:] {expected}, [got|got:|but got|found|but found] {found}",
            "dtype {a} does not match {...}dtype {b}",
            "{a} does not match {...}dtype {b}",
        ),
        usual_op=(OpClue(op="linear", place="message", words=("mat1andmat2", "(mat1)")),),
        examples=(
            "ValueError: q, k and v must have the same dtype, but got torch.float16 and torch.float32",
            "AssertionError: expected dtype torch.float16, got torch.float32",
        ),
    ),
    Pattern(
        name="same-dtype-unnamed", category="dtype-mismatch", library="",
        texts=(
            "[Error|Exception]: {...}[must|should|to] [all |]have [the |]same dtype",
            "Error: {...}dtypes [must|should|do not|don't] match",
            "[Error|Exception]: {...}dtype mismatch",
        ),
        op_clues=(OpClue(op="flash_attn", place="function", words=("flash_attn", "flash_attention"), frames=2),),
    ),
)
