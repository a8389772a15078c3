"""Errors that nobody has listed, of a device: it is demanded, refused or not there, or the GPU is of another generation."""

from ..pattern import Pattern
from .builds import ELSEWHERE, MOVES
from .refusals import NO_DTYPES

_MODAL = "[must|should|shall|has to|have to|needs to|need to|ought to|expected to|supposed to|required to]"
_LIE = "[be|live|reside|lie|sit|stay|remain|match]"
_AT = "[|on |in |at |a |an |the |on a |on the |contiguous |a contiguous |dense |all |all on |located on |placed on |moved to |also on ]"
_LACKS = "[not|never|n't]"
_ONLY = "[only|just|solely|exclusively|currently]"
_DONE = (
    "[supported|implemented|available|enabled|usable|allowed|possible|valid|defined|ported|tested|intended|compatible|registered|"
    "exposed|provided|built]"
)
_DOES = "[supports|support|works|work|runs|run|accepts|takes|targets|handles|trains]"
_UNFIT = "[unsupported|invalid|unknown|unexpected|unrecognized|unhandled|illegal|incompatible|bad]"
_WHAT = "[device|devices|device type|device types|device_type|backend|accelerator|platform|hardware]"
_NEEDS = "[requires|require|required|needs|need|expects|expect|demands|wants]"
_GOT = "[got|found|received|given|but|not|is|was|current|instead of|and not]"
_THERE = "[found|available|detected|visible|present|usable|accessible|discovered|avail]"
_HERE = "[is|are|was|were|to|for|in|but|and|so|on this|on that|here|please|or|got|with|while]"
_ELSE = (*ELSEWHERE, *NO_DTYPES, "outofmemory", "cudaversion", "driverversion", "cudagraph", "cuda_graph", "cudastream", "cu_seqlens_cpu")
_NEWER = ("turing", "ampere", "hopper", "blackwell", "volta", "pascal", "capability", "sm_", "gfx")
"""Generations of GPUs: who demands one refuses no device."""
_SHAPES = ("head_dim", "headdim", "head_size", "headsize", "tile_", "num_splits", "page_size", "block_size", "softcap", "swizzle")

PATTERNS = (
    Pattern(
        name="some-device-demanded", category="device-mismatch", library="", faint=True, spoken=True,
        texts=(
            f"{_MODAL} {{..}}{_LIE} {_AT}{{expected:place}}{{plain}}",
            "[is|are] not [|all |yet |currently |located |placed ]on [|the |a ]{expected:place}{plain}",
            f"device {{..}}{_MODAL} be {{expected:place}}",
            f"device {{a:place}} {{..}}{_MODAL} [match|equal|be the same as] {{..}}[device|{{b:place}}]",
            f"{_MODAL} be on [|the |its ]{{.}}device{{end}}",
        ),
        unless=(*_ELSE, "rank", "compiledwith", "bemovedto", "backend:", "backendmust", "device_map", "runonthe", "isnotavailable", "notcompiled"),
        implies=("input-left-on-cpu",),
        examples=(
            "RuntimeError: qkv must be contiguous CUDA",
            "ValueError: out device cuda:0 must match input device cpu",
        ),
    ),
    Pattern(
        name="device-not-taken", category="unsupported-device", op="a kernel", library="", faint=True, spoken=True,
        texts=(
            f"{_UNFIT} {{.}}{_WHAT} {{..}}{{found:place}}",
            f"{_LACKS} {{.}}{_DONE} {{.}}[on|for|by|in|under] {{.}}{{found:place}}{{plain}}",
            "[does not|doesn't|do not|don't|cannot|can't|did not] {.}[support|run on|work on|work with] {.}{found:place}{plain}",
            f"{_ONLY} {{.}}{_DOES} {{.}}{{expected:place}}{{plain}}",
            f"{_ONLY} {{.}}{_DONE} {{.}}{{expected:place}}{{plain}}",
            f"{_DOES} {{..}}only [on|with|for] {{.}}{{expected:place}}{{plain}}",
            f"{_ONLY} {{expected:place}} {{.}}[is|are] {{.}}{_DONE}",
            "{found:place} [|is |are |inputs |tensors |mode |execution ][not supported|unsupported|not implemented|not yet supported]{end}",
        ),
        op_clues=(*MOVES,),
        unless=(*_ELSE, "withcuda", "is_available", "gloo", "nccl", "unsupportedbackendfor", "device_map", "dynamicshape", "notimplementedonthecpu", "notimplementedoncpu", *_NEWER),
        implies=("device-lacks-op",),
        examples=(
            "ValueError: This op had not been implemented on NPU backend.",
            "RuntimeError: the fused kernel only supports CUDA inference.",
        ),
    ),
    Pattern(
        name="device-not-there", category="unsupported-device", op=".to(device)", library="", faint=True, spoken=True,
        texts=(
            f"[no|without] [|usable |available |supported |compatible |visible |working |free |other ]{{found:place}} {{.}}{_THERE}",
            f"[no|without] [|usable |available |supported |compatible |visible ][device|devices|accelerator|accelerators|graphics card] {{.}}{_THERE}",
            "{found:place} [|device |devices |gpu |backend |hardware |support |driver |accelerator ][|is |are |was |were |could be ][unavailable|not available|not found|not detected|not present|not accessible|not visible|not usable|not enabled]",
            "[not|n't|never] [find|detect|see|locate|recognize] {.}{found:place}",
            "[built|compiled|installed|configured] without {.}{found:place}",
            f"{_NEEDS} [|a |an |at least one |working |nvidia |native |available ]{{expected:place}} [device|devices|hardware|card|support|runtime|build|backend|acceleration]",
            f"{_NEEDS} [|a |an |at least one |working |nvidia |native |available ]{{expected:place}}{{end}}",
        ),
        op_clues=MOVES,
        unless=(*_ELSE, "libcuda", "plugin", "provider", "symbol", "operator", "toolkit", "_home", "nvcc", "memory", "kernelfor", "cpunot", "nocpu", "filenotfound", "sources", "device_map", "package"),
        implies=("no-such-device",),
        examples=(
            "RuntimeError: GGML CUDA backend found no CUDA devices available.",
            "RuntimeError: the rotation kernel requires CUDA.",
        ),
    ),
    Pattern(
        name="generation-not-taken", category="unsupported-device", op="a CUDA kernel", library="", faint=True,
        spoken=True,
        texts=(
            f"{_ONLY} {{gpu}} {{..}}[is|are] {{.}}{_DONE}",
            "{gpu} {.}[required|needed|unsupported|not supported|not yet supported|not currently supported|and newer only|or newer required]",
            f"{_DOES} {{gpu}} {{..}}{_GOT} {{gpu}}",
            "[no|without|missing] {.}[kernel|kernels|support|implementation|image|binary] {..}{gpu}",
            f"{_UNFIT} [gpu|gpus|cuda|device|target|gfx|hardware] [arch|architecture|generation|model]",
        ),
        op_clues=(*MOVES,), unless=(*_ELSE, *_SHAPES), implies=("gpu-generation-not-supported",),
        examples=(
            "AssertionError: the decode kernel only supports gfx942 (CDNA3) and gfx950 (CDNA4) now, but got gfx1100",
        ),
    ),
)
