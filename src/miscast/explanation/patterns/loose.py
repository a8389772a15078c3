"""Unlisted errors about a dtype: a demand or a refusal, a few words, and the dtype.

Each is claimed only in torch's world, and not across a word that tells of shapes, layouts or packages ({.}).
"""

from ..pattern import OpClue, Pattern
from .refusals import NO_DTYPES

_MODAL = "[must|should|shall|has to|have to|needs to|need to|expected to|is to|are to|ought to]"
_NEEDS = "[expects|expected|expect|requires|require|required|needs|need|wants|want|accepts|accept|takes|handles|assumes]"
_GOT = "[got|found|received|given|but|not|provided|actual|passed|was|instead of|current|currently]"
_KIND = "[floating point|floating-point|floating|float|integer|integral|int|long|complex|real|boolean|bool|half|double]"
_OF_KIND = "[tensor|tensors|dtype|dtypes|type|types|data type|data types|input|inputs|values|indices|matrix|array]"
_TYPE = "[dtype|dtypes|data type|data types|datatype|datatypes|scalar type|scalar types|element type|element types]"
_NOUN = "[dtype|dtypes|data type|data types|datatype|datatypes|scalar type|scalar types|element type|element types|precision]"
_ELSE = (*NO_DTYPES, "unknownargument", "unrecognizedargument", "keywordargument", "notinstalled", "pipinstall", "outofmemory", "tobeoneof:fp16,bf16,fp32,fp64")

PATTERNS = (
    Pattern(
        name="some-dtype-demanded", category="dtype-mismatch", library="", faint=True, spoken=True,
        texts=(
            f"{_MODAL} [also |already |all |both |each |only ||always ][be|have|use|match|equal|contain|hold|store] {{.}}{{expected:plain}}",
            f"{_MODAL} {{.}}{{expected:plain}} {{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_NEEDS} {{.}}{{expected:plain}} {{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_NEEDS} {{.}}{{expected:plain}}",
            f"{_NEEDS} {{.}}{_NOUN} {{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_MODAL} {{.}}{_KIND} {_OF_KIND}{{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_NEEDS} {{..}}{_KIND} {_OF_KIND}{{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_NEEDS} {{.}}{_KIND} {{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_MODAL} be {_KIND} {{..}}{_GOT} {{..}}{{found:plain}}",
            f"{_NOUN} {{..}}[{_MODAL[1:-1]}] be [|the |all the |of the |of ][same|identical|equal|consistent|compatible|uniform]",
            f"[share|shared|same|identical|matching|single|common|uniform|consistent] {{.}}{_TYPE}",
            "[is|are|has|have|was|in] {.}{a:plain} {.}[but|while|whereas|vs|and|not|however|yet] {..}[is|are|has|have|says|was|in|expects|wants] {.}{b:plain}",
            "{a:plain} [vs|versus|!=|differs from|does not match|doesn't match|is not|and not|but not] {.}{b:plain}",
            f"{_NOUN} {{.}}{{a:plain}} {{.}}{_NOUN} {{.}}{{b:plain}}",
            f"{_NOUN} {{found:plain}} {{..}}[{_MODAL[1:-1]}|expected|but|while]",
            f"[not|isn't|aren't|wrong|differ|differs|unequal] {{.}}equal {{..}}{_NOUN}",
            "[cast|convert|casted|converted] {..}to {expected:plain} [before|first|explicitly]",
            f"{_NOUN} of {{.}}and {{.}}[is|are|be] [|the ][same|equal|identical]",
            "{expected:plain} is [expected|required|wanted|needed]",
            "[same|one|uniform|single] {.}[type|dtype|precision] {..}got [both {a:exact}|{a:exact}] and {b:exact}",
            "type {a:exact} and {..}type {b:exact}",
            "{expected:plain} [was|is|were|are] [declared|expected|required|wanted|needed|assumed|registered|specified|asked|requested]",
        ),
        unless=_ELSE,
        examples=(
            "RuntimeError: the gather buffer must already be bf16, got torch.float16",
            "TypeError: q_out is torch.float16 but q_rope_out is torch.bfloat16",
        ),
    ),
    Pattern(
        name="kernel-of-dtype-missing", category="unsupported-dtype", library="", faint=True, spoken=True,
        texts=(
            "[could not|cannot|can't|can not|unable to|failed to] [find|create|compile|build|get|select|locate|launch|dispatch] {..}{kernel}",
            "{kernel} {.}[not found|not available|does not exist|failed|unavailable|unsupported|not supported|not implemented]",
            "{kernel} {..}[requires|require|needs|only supports|only support|only supported on|only available on] {.}{gpu}",
        ),
        op_clues=(OpClue(op="matmul", place="message", words=("gemm", "matmul", "mul_mat", "scaled_mm")), OpClue(op="cast", place="message", words=("cast_", "convert_", "_cast"))),
        unless=(*_ELSE, "skippingkernel", "symbol", "attribute", "importerror", "modulenotfound", "cannotimport", ".so", ".safetensors", ".onnx", ".pt", ".bin", ".gguf", "filenot", "directory", "keyerror", "checkpoint", "config", "function", "parameter", "column"),
        implies=("library-refuses-dtype",), examples=("RuntimeError: could not find the kernel cast_f16_f8_e4m3",),
    ),
    Pattern(
        name="some-device-refused", category="unsupported-device", library="", faint=True, spoken=True,
        texts=(
            "[device|device type|backend|accelerator] {found:place} {.}not [|yet |currently ][supported|implemented]",
            "[only|just] [implemented|supported|available|defined] [for|on|in|with] [|the |a ]{expected:place}",
            "[does not|doesn't|do not|don't|cannot|can't|not] [support|run on|work on|work with] {.}{found:place} [device|devices|backend|tensors|tensor|inputs]",
            "not [|yet |currently ][implemented|supported] [for|on] [|the ]{found:place} [device|devices|backend|tensors|tensor]",
            "not available [for|on] [|the |backend |device ]{found:place}",
        ),
        op_clues=(OpClue(op="torch.Generator", place="message", words=("torch.generator",)),),
        unless=(*_ELSE, "driver", "withcuda", "cudaversion", "computecapability", "isnotavailable", "capability", "is_available"),
        implies=("device-lacks-op",),
        examples=(
            "RuntimeError: Device type XPU is not supported for torch.Generator() api.",
            "RuntimeError: randperm is only implemented for CPU",
        ),
    ),
    Pattern(
        name="some-dtype-refused", category="unsupported-dtype", library="", faint=True, spoken=True,
        texts=(
            f"{_MODAL} {{.}}[one of|either|in|among] {{..}}{{expected:plain}} {{...}}{_GOT} {{..}}{{found:plain}}",
            "[only|just] {.}{expected:plain}",
            "{expected:plain} [only|-only]",
            "[supports|support] {.}{expected:plain}",
            "{found:plain} {.}not {.}supported",
            "{found:plain} which {.}[does not|doesn't|cannot|can't|do not] [support|run|handle|take]",
            "[unsupported|unknown|unhandled|invalid|unexpected|illegal|unrecognized|not supported] {.}{found:plain}",
            "supported {.}[are|is|include|types|dtypes|datatypes] {..}{expected:plain}",
            f"not {{.}}[in|among|one of] {{.}}supported {_NOUN}",
            f"{_NOUN} {{found:plain}} {{..}}not [|yet |currently |a ]supported",
            f"not [|yet |currently |a ]supported {{.}}{_NOUN}",
            "[no|missing|lacks] {.}[kernel|kernels|implementation|support|variant|path|conversion|specialization|instance] {..}{found:plain}",
            f"only [support|supports] {{.}}{_KIND} [{_OF_KIND[1:-1]}|conversion]",
            f"only supported {_NOUN} {{..}}[is|are] {{expected:plain}}",
            "[can only be|only can be|may only be] {..}{expected:plain}",
            "[must not|cannot|can not|can't|may not|should not] [be|have] [|of ][|type |dtype ]{found:plain}",
        ),
        unless=_ELSE, implies=("library-refuses-dtype",),
        examples=(
            "RuntimeError: causal_conv kernel: fp32-only",
            "RuntimeError: the gather kernel supports int32 and int64 indices",
        ),
    ),
)
