"""Type errors that other frameworks word alike. They match only with evidence of torch's ecosystem."""

from ..pattern import OpClue, Pattern
from .refusals import NO_DTYPES

_ASSERTING = (
    OpClue(op="flash_attn", place="words", words=("flash_attn", "flash-attn", "flash_attention", "flash-attention"), frames=2),
    OpClue(place="calls"),
)
_MUST = (
    "[must be|should be|must all be|must both be|should both be|must have|should have|must use|should use|has to be|have to be|"
    "needs to be|need to be|to be|expected to be|must be of|should be of|must be one of|can only be]"
)
_TYPE = "[dtype|dtypes|data type|data types|datatype|datatypes|scalar type|scalar types|element type|element types]"
_REFUSED = (
    "[not supported|unsupported|not implemented|not yet supported|not currently supported|not yet implemented|not allowed|"
    "not available|not handled|not recognized|not understood|not legal|not valid|not defined|not registered|not permitted|not possible|"
    "not yet handled|not handled yet|not accepted|not known|unavailable|not enabled|not usable|not compatible|incompatible]"
)
_KINDS = "float|floating point|floating-point|int|integer|integral|long|bool|boolean|complex|half|double"
_LESS = "[undefined|wrong|invalid|unsupported|un-supported|unhandled|unknown|unrecognized|unexpected|illegal|bad|incorrect|incompatible|not supported]"

PATTERNS = (
    Pattern(
        name="dtype-demanded", category="dtype-mismatch", library="", faint=True, spoken=True,
        texts=(
            (f"{_MUST} [|a |an |the |either |in |of |only ][|scalar |contiguous |packed |2D |3D |4D |1D ]"
            "[|dtype |type |data type |torch dtype |one of ]{expected:exact}"),
            f"[type|precision] {_MUST} [|either |one of ]{{expected:exact}}",
            f"{_MUST} [a |an ][floating|{_KINDS}] tensor",
            f"{_TYPE} {{found:exact}} {{..}}expected",
            "type [is not|must be|has to be] {expected:exact}",
            f"expected {{.}}[input|inputs|tensor|tensors|indices|weight|weights] to be [|of ][|a |an ][{_KINDS}]",
            "[indices|index|offsets|positions|ids|lengths|indptr] [must|should] be of [type|dtype|scalar type] [long|int]",
        ),
        unless=NO_DTYPES,
    ),
    Pattern(
        name="dtypes-disagree", category="dtype-mismatch", library="", faint=True, spoken=True,
        texts=(
            (f"{_TYPE} {{..}}[must match|must equal|should match|must be equal|should be equal|must be the same|should be the same|must be identical|"
            "do not match|does not match|don't match|doesn't match|disagree|differ|are different|is different|mismatch|inconsistent|incompatible|not equal]"),
            f"[must match|must equal|should match|do not match|does not match|doesn't match|don't match|mismatch|differ|disagree|different|differs|match] {{..}}{_TYPE}",
            f"[the same|same|identical|matching|uniform|equal|common|consistent] {{..}}{_TYPE}",
            f"{_TYPE} {{..}}[the same|identical|equal] {{..}}",
            "[must|should] [|all |both |each ][be|have|be of|have at|share] [|the |a |one ]same [type|datatype|precision] [as|with|for|across]",
            "[must|should] [|all |both ]have [the |]same type",
            "[requires|require|supports|support|needs|need|expects|expect] [|the ][same|compatible|equal|identical|matching] [type|types|element type|element types] [for|of|between|in] {.}[operands|operand|inputs|lhs|arguments|results]",
        ),
        unless=(*NO_DTYPES, "shapemismatch", "rankmismatch"),
    ),
    Pattern(
        name="dtype-not-taken", category="unsupported-dtype", library="", faint=True, spoken=True,
        texts=(
            f"{_LESS} {{.}}{_TYPE}{{..}}{{found:exact}}",
            f"{_LESS} {{.}}{_TYPE}",
            f"{_TYPE} {{..}}{_REFUSED}",
            f"[does not|do not|doesn't|don't|did not|cannot|can't|not] [support|supported|handle|implement] {{..}}{_TYPE}",
            "[does not|do not|doesn't|don't|cannot|can't] [support|handle|use|accept|run] {..}{found:exact}",
            "[only|just] {..}{expected:exact} {..}[supported|allowed|accepted|implemented|available]",
            "[supports|support|accepts|takes|handles] {..}{expected:exact} {..}[got|only|found|but|received] {..}{found:exact}",
            "[only|just] [supported|implemented|available|defined|allowed] [for|in|with|on|when using] {..}{expected:exact}",
            "only [supports|support|accepts|works with|takes] {..}{expected:exact}",
            f"only [supports|support|accepts] {{..}}{_TYPE}",
            ("[requires|require|needs|expects|expect] [|a |an |the |input |either |only ]{expected:exact} {..}[input|inputs|output|outputs|"
            "weights|weight|tensor|tensors|activations|activation|precision|compute|training|data|scales|cache|kv_cache|kv|prefill|query|queries|keys|values]"),
            f"{{found:exact}} {{..}}{_REFUSED}",
            "[not|without|no|lacks|lacking|missing] {..}{found:exact} [support|precision support]",
            "[unsupported|unknown|invalid|unrecognized] {..}[type|format|mode|precision|recipe|scheme|algorithm] {..}{found:exact}",
            "no {..}[kernel|implementation|support] {..}for {..}{found:exact}",
            f"only {{.}}[{_KINDS}] [tensor|tensors|input|inputs|dtype|dtypes|type|types|values] [is|are|can be] [|currently ][supported|allowed|accepted|implemented]",
            "no {.}[kernel|kernels|implementation|code path] {.}{found:exact}",
            "no {found:exact} {.}[backend|backends|kernel|kernels|path|implementation] {.}[supports|support|can|is available|available|found|fits|matches]",
            "[to|cannot|can't|not] find [a |any |][|suitable |matching ][kernel|implementation|backend] {..}{found:exact}",
            "with error {found:exact}",
            "[undefined|unsupported|unknown] type {found:exact}",
            "[not|n't] [provide|ship|expose] {.}{found:exact}",
            "{found:exact} {.}has no {.}[kernel|kernels|implementation|support|path]",
            "{found:exact} [cannot|can not|can't] [run|be run|be used|be executed|be computed|be merged|be loaded|work]",
            "[unsupported|unknown|invalid] [quant|quantization|tensor|weight|element|storage|scale] [type|types]",
            "[quant|quantization|element|storage|tensor] [type|types] [is |are |]not [|yet |currently ][supported|handled|implemented]",
            "[legalize|legalise|select|lower|translate|codegen|emit] {..}{found:exact}",
        ),
        unless=(*NO_DTYPES, "keywordargument", "isnotinstalled"), implies=("library-refuses-dtype",),
        examples=(
            "AssertionError: Only bf16 activation is supported for aten.view",
            "RuntimeError: Unsupported Q data type:",
        ),
    ),
    Pattern(
        name="asserted-dtype", category="dtype-mismatch", library="", faint=True,
        texts=(
            "assert {...}.dtype[ == | is ]{expected}{...}AssertionError",
            "assert {...}.dtype in {...}{expected}{...}AssertionError",
            "assert {...}.dtype == {...}.dtype{...}AssertionError",
            "assert {...}.dtype[ == | is | in | != ]{...}AssertionError",
            "assert [all|len|torch.is_floating_point]({...}dtype{...}AssertionError",
            "Assertion `{...}scalar_type(){...}' failed",
            "Assertion failed: {...}[dtype|scalar_type](){...}, file",
        ),
        op_clues=_ASSERTING, unless=("assertionerror:",),
    ),
)
