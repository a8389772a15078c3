"""No kernel for the dtype: torch's dispatch macros, autocast's forbidden ops, dtypes that a GPU lacks."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="not-implemented-for", category="unsupported-dtype",
        texts=(
            "{kernel:name} not [implemented|supported] for {found}",
            "{kernel:name} is not implemented for [type |]{found}",
            "{kernel:name} [is |]not supported on {...} for {found}",
        ),
        raised_by="torch.ones(2, 2).long().softmax(0)",
    ),
    Pattern(
        name="not-supported-on-cuda-type", category="unsupported-dtype",
        texts=("{kernel:name} [is |]not supported on CUDAType for {found}",), operands=(("input", "", "cuda"),),
    ),
    Pattern(
        name="stub-without-kernel", category="unsupported-dtype",
        texts=("DispatchStub: missing {...}kernel", "DispatchStub: unsupported device type"),
        implies=("device-lacks-op",),
    ),
    Pattern(
        name="unsafe-to-autocast", category="unsupported-dtype", op="binary_cross_entropy",
        texts=(
            "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast",
            "{op:name} is unsafe to autocast",
        ),
        implies=("autocast-forbids",),
    ),
    Pattern(
        name="numpy-lacks-dtype", category="unsupported-dtype", op="Tensor.numpy()",
        texts=("Got unsupported ScalarType {self}",), implies=("numpy-lacks-dtype",),
        raised_by="torch.ones(2).bfloat16().numpy()",
    ),
    Pattern(
        name="from-numpy-dtype", category="unsupported-dtype", op="from_numpy",
        texts=("can't convert np.ndarray of type [numpy.|]{self}. The only supported types are",),
        implies=("torch-lacks-numpy-dtype",),
        # numpy.object_ is an array of Python objects: no dtype to choose another for.
        unless=("numpy.object_", "numpy.str_"),
    ),
    Pattern(
        name="built-for-other-dtypes", category="unsupported-dtype", op="model load", library="", faint=True,
        texts=(
            "has not been [built|compiled] with {found} support",
            "[isn't|wasn't|is not|was not] [built|compiled] with {found} support",
            "does not support code generation for complex operators",
        ),
        implies=("library-refuses-dtype",),
    ),
    Pattern(
        name="npu-lacks-dtype", category="unsupported-dtype", library="torch_npu",
        texts=(
            "call aclnn{op:name} failed, detail:{...}not implemented for DT_{found}, should be in dtype support list",
            "call aclnnCast failed",
            "not implemented for DT_{found}, should be in dtype support list",
            "not implemented for DT_{found}",
            "dtype is not precisely equivalent to format and dtype in op information library",
            "data type DT_{found} of input [{...}] is not supported",
            "Op {op:name} does not has any binary",
            "Io input dtype or format is not supported, get io input info is {...}(DT_{found}",
        ),
        operands=(("self", "", "npu"),), implies=("backend-lacks-dtype",),
        examples=(
            ("RuntimeError: call aclnnCumsum failed, detail:EZ1001: self not implemented for DT_DOUBLE, should be in "
             "dtype support list [DT_FLOAT,DT_FLOAT16]."),
        ),
    ),
    Pattern(
        name="gpu-fft-half", category="unsupported-dtype", op="fft",
        texts=("cuFFT only supports dimensions whose sizes are powers of two when computing in half precision",),
        op_clues=(OpClue(place="calls"),), operands=(("input", "float16", "cuda"),), implies=("fft-half-sizes",),
    ),
    Pattern(
        name="fft-lacks-dtype", category="unsupported-dtype", library="",
        texts=(
            "MKL FFT doesn't support tensors of type: {found}",
            "Unsupported dtype {found}",
            "unsupported [dtype|data type|tensor dtype|scalar type|tensor type]:[| dtype] {found}",
            "unsupported [dtype|data type] {found}",
            "not support dtype[|:| =] {found}",
            "[dtype|data type|Data type] {found} [is |]not supported",
        ),
        op_clues=(OpClue(op="fft", place="message", words=("mklfft",)),),
        raised_by="torch.fft.fft(torch.ones(4).half())",
    ),
    Pattern(
        name="gpu-lacks-bfloat16", category="unsupported-dtype", op="model load",
        texts=(
            "Bfloat16 is only supported on [GPUs|XPUs|{...}] with compute capability of at least",
            "device does not support bfloat16",
        ),
        operands=(("requested", "bfloat16", "cuda"),), implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="autocast-bfloat16", category="unsupported-dtype", op="autocast",
        texts=("Current CUDA Device does not support bfloat16. Please switch dtype to float16",),
        operands=(("requested", "bfloat16", "cuda"),), implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="kernel-needs-newer-gpu", category="unsupported-dtype", op="Triton kernel", library="triton",
        texts=("Feature [.bf16|cvt with .bf16|cvt.bf16{...}|cvt with .f32.bf16|.bf16{...}] requires .target sm_[80|90] or higher",),
        operands=(("operand", "bfloat16", "cuda"),), implies=("gpu-lacks-bfloat16",),
    ),
    Pattern(
        name="triton-lacks-fp8", category="unsupported-dtype", op="Triton kernel", library="triton",
        texts=(
            "type {found} not supported in this architecture. The supported fp8 dtypes are",
            "type fp8e4b15 not supported in this architecture",
            "dtype {found} not supported in dot operations",
            "fp8e4nv data type is not supported on CUDA arch <",
            "{found} not supported in this architecture",
        ),
        op_clues=(OpClue(op="tl.dot", place="message", words=("indotoperations",)),),
        operands=(("operand", "float8_e4m3fn", "cuda"),), implies=("gpu-lacks-float8",),
    ),
    Pattern(
        name="fp16-not-on-cpu", category="unsupported-dtype", op="transcribe", library="whisper",
        texts=("FP16 is not supported on CPU; using FP32 instead",), operands=(("requested", "float16", "cpu"),),
        implies=("half-on-cpu",),
    ),
    Pattern(
        name="half-pipeline-on-cpu", category="unsupported-dtype", op="DiffusionPipeline.to", library="diffusers",
        texts=(
            "Pipelines loaded with `[torch_dtype|dtype]={found}` cannot [run with|be moved to] `{place:device}`",
            "Cannot use `pipeline.to({...})` with a pipeline loaded with `torch_dtype={found}`",
        ),
        operands=(("pipeline", "", "cpu"),), implies=("half-on-cpu",),
    ),
    Pattern(
        name="lora-kernel-lacks-dtypes", category="unsupported-dtype", op="bgmv", library="punica",
        texts=("No suitable kernel. {...}dtype={input} out_dtype={output}", "No suitable kernel. {...}dtype={input}"),
        implies=("library-refuses-dtype",),
    ),
    Pattern(
        name="autocast-dtype-unsupported", category="unsupported-dtype",
        texts=(
            "In {...} autocast, but the target dtype is not supported. Disabling autocast",
            "AutocastCPU only support {expected} as the autocast_cpu_dtype",
            "autocast only supports dtypes of {...} but {...}",
        ),
        op="autocast",
        raised_by=(
            "import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('error')\n"
            "    torch.autocast('cpu', dtype=torch.float64)"
        ),
    ),
)
