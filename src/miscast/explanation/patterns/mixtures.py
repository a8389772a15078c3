"""Two dtypes or devices in one sentence of an error, in words of no known origin."""

from ..pattern import OpClue, Pattern
from .refusals import NO_DTYPES

PATTERNS = (
    Pattern(
        name="dtype-not-among", category="dtype-mismatch", library="", spoken=True,
        texts=(
            ("[expected|expects|expecting|requires|must be|should be|needs to be|has to be] {..}{expected:exact} [|or |and ]{or:exact}"
            "[{also:exact}|or {also:exact}|and {also:exact}|]{..}[but got|got|but found|found|received|but was|given|but is] {..}{found:exact}"),
        ),
        implies=("library-refuses-dtype",),
        examples=("ValueError: Expected input of [float16, float32]. Got bfloat16",),
    ),
    Pattern(
        name="dtype-wanted", category="dtype-mismatch", library="", spoken=True,
        texts=(
            ("[expected|expects|expecting|requires|must both be|must be|should be|should also be|must also be|must have|should have|needs to be|has to be|wanted|"
             "to be|to have|want] {..}{expected:exact}{..}[but got|got|but found|found|received|instead of|actual|"
             "but was|but is|but it is|given|but input is|not] {..}{found:exact}"),
            "[got|found|received|have|has|is] {..}{found:exact}{..}[expected|expects|but need|but must be|but should be|instead of|but requires|required|should be|must be] {..}{expected:exact}",
            "[dtype|data type|scalar type|precision|dtypes|datatype] [must be|should be|has to be|needs to be|is not|!=|must equal] {..}{expected:exact}",
            ("[tensor|tensors|input|inputs|weight|weights|bias|scale|scales|mask|query|key|value|indices|index|labels|"
             "target|gradient|parameter|parameters|hidden_states|activation|output|logits|x|tokens] [must be|should be|"
             "has to be|have to be|needs to be|need to be|must have dtype|should have dtype|must be of dtype|must be in|"
             "should be in|must be of type|should be of type|must have type] [|a |an |either |one of |torch dtype ]"
             "{expected:exact}"),
            "[dtype|type] {..}{a:exact} {..}[differs from|different from|does not match|doesn't match|is not equal to|not compatible with|incompatible with|!=] {..}{b:exact}",
            ("must be [a |an |][integer|integral|floating point|floating-point|float|boolean|bool|long|int] "
             "[tensor|type|tensors|dtype|matrix]{..}[got|found|current type|but is|received] {..}{found:exact}"),
            "must be [a |an |][integer|integral|floating point|floating-point|boolean|long|half] [tensor|tensors|dtype]",
            ("expected [a |an |][boolean|bool|integer|int|float|floating point|floating-point|real|complex] {..}[but received|"
             "but got|received|but found] {..}{found:exact}"),
            "expected {..}to have [dtype|data type|scalar type] {expected:exact}",
            "cannot use any type other than {expected:exact}",
            "[must|should|has to|needs to] be [|a scalar |a tensor ][of|with] [dtype|data type] {expected:exact}",
            "{found:exact} since it is not a floating point dtype",
            "cannot [cast|copy|convert|assign|write|set|load] {..}{found:exact} {..}[to|into|as] {..}{expected:exact}",
        ),
        op_clues=(OpClue(op="Triton kernel", place="message", words=("loc(fused", "tritongpu", "tt.")),),
        unless=NO_DTYPES, examples=("ValueError: hidden_states must be torch.bfloat16",),
    ),
    Pattern(
        name="dtypes-at-odds", category="dtype-mismatch", library="", spoken=True,
        texts=(
            ("[dtype|dtypes|data type|data types|types|type|precision] {..}[mismatch|do not match|does not match|"
             "doesn't match|don't match|must match|should match|must be equal|must be the same|should be the same|"
             "are different|differ|must agree|inconsistent|incompatible]{..}{a:exact}{..}{b:exact}"),
            "[mixed|mismatched|mismatching|different|inconsistent|incompatible|conflicting] {..}[dtype|dtypes|data types|data type|types|precisions|datatypes]{..}{a:exact}{..}{b:exact}",
            "[mixed|mismatched|mismatching|different|inconsistent|incompatible|conflicting] [dtype|dtypes|data types|datatypes]",
            "Mixed {..} dtype[s|] [is |are |][not supported|unsupported]",
            "[dtype|dtypes|data type|data types|scalar type] [mismatch|do not match|does not match|doesn't match|don't match|must match|should match|must be the same|should be the same|must agree|to match|to be the same]",
            "[must|should|to|not|need to] [have|be of|share|be|be in] [|the |a |all the ][same|identical|uniform|matching] [dtype|dtypes|data type|data types|datatype|scalar type|tensor type]",
            "{a:exact} [vs|versus|!=] {b:exact}",
            "element type {a:exact} {..}differs from {..}{b:exact}",
            "[got|found|received|but] {a:exact} [and|vs|vs.|!=|,|with] {b:exact}",
            "have [the same|same] type{..}{a:exact}{..}{b:exact}",
        ),
        unless=NO_DTYPES, examples=("ValueError: Mixed query, key, and value dtype is not supported on this platform",),
    ),
    Pattern(
        name="dtypes-asserted", category="dtype-mismatch", library="", differ=True,
        texts=(
            "AssertionError: [|(]torch.{a} [==|,|and|is] torch.{b}",
            "(cpu, torch.{a}){...}(cpu, torch.{b})",
            "(cuda:0, torch.{a}){...}(cuda:0, torch.{b})",
        ),
        examples=(
            "AssertionError: torch.float16 == torch.float32",
            "ValueError: Inputs must have same device Got center (cpu, torch.float16), angle (cpu, torch.float32)",
        ),
    ),
    Pattern(
        name="devices-at-odds", category="device-mismatch", library="", spoken=True,
        texts=(
            "on [device |]{a:place} {..}on [device |]{b:place}",
            "[is|are|was|resides|located|lives] on {..}{found:place}{..}[expected|but expected|while|but|whereas|instead of|and|required] {..}on {..}{expected:place}",
            "[must|should|need|needs|to|not|has|have] [be |to be |all be |][on|to|in|share|have] [|the |a |one ][same|single|identical] [device|GPU|gpu|device type|devices|CUDA device]",
            "[on|to|across|from|with|has|have] [|two |multiple |several ]different [devices|device|device type|device types|GPUs|gpus|CUDA devices]",
            "[device|devices] [mismatch|do not match|does not match|must match|don't match|doesn't match]",
            "device of {..}{a:place} does not match {..}{b:place}",
            "[is|are|was] on {found:place} [|but |while |, |, but ][expected|expecting|should be on|must be on|instead of] {expected:place}",
            "[expected|expecting|requires|require|must|should|needs] {..}on the same [device|GPU|gpu]",
            "[device|devices] [type|types] [must|should] [match|agree|be the same|be equal|be identical]",
        ),
        unless=(*NO_DTYPES, "rank", "outofmemory", "compiledwith"),
    ),
    Pattern(
        name="still-on-meta", category="device-mismatch", op="Module.to", library="", spoken=True,
        texts=(
            "[is|are] [still on|on|left on] the meta [device|devices]",
            "[is|are] [still on|on|left on] [|the ]meta [|device ][not materialized|and cannot|but|instead]",
        ),
        operands=(("parameter", "", "meta"),), implies=("left-on-meta",),
        examples=("RuntimeError: You can't save the model since some parameters are on the meta device.",),
    ),
    Pattern(
        name="device-wanted", category="device-mismatch", library="an extension", spoken=True,
        texts=(
            ("[must|should|needs to|need to|has to|have to|expected to|only] be [|a |an |on |on the |on a ][CUDA|GPU|cuda] "
             "[tensor|tensors|device|memory]"),
            "requires all tensors to be on CUDA devices",
            "[expected|expects|expecting] {..}to be on [|the |a ][CUDA|GPU|cuda|NPU|XPU|MPS]",
            "[must|should|needs to|need to|has to|have to] be [on|moved to|placed on] [CUDA|GPU|cuda|the GPU|a GPU|gpu]",
            "[only supports|only support|only accepts|only works with|only works on|expects|expected|requires] [|a |an |input ][CUDA|GPU|cuda] [tensor|tensors|inputs]",
            "not [implemented|supported|available|compiled] [for|on] [CPU|the CPU] [tensor|tensors|inputs]",
            "only [CUDA|GPU|cuda|CPU|XPU|NPU] [tensor|tensors|inputs] [is|are|can be] [supported|accepted|allowed|used]",
        ),
        unless=(*NO_DTYPES, "withgpusupport", "withcuda", "isnotavailable", "driver"), implies=("input-left-on-cpu",),
        examples=("AssertionError: this kernel only supports CUDA tensors",),
    ),
)
