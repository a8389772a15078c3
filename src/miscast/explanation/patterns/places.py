"""Errors that nobody has listed, of a device: it is demanded, refused or not there, or the GPU is of another generation."""

from ..pattern import Pattern
from .builds import ELSEWHERE, MOVES
from .refusals import NO_DTYPES

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
_THERE = "[found|available|detected|visible|present|usable|accessible|discovered|avail]"
_ELSE = (*ELSEWHERE, *NO_DTYPES, "outofmemory", "cudaversion", "driverversion", "cudagraph", "cuda_graph", "cudastream", "cu_seqlens_cpu")
_NEWER = ("turing", "ampere", "hopper", "blackwell", "volta", "pascal", "capability", "sm_", "gfx")
"""Generations of GPUs: who demands one refuses no device."""

PATTERNS = (
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
)
