"""Causes of a dtype that is not supported where used."""

from ..cause import Cause, Clue

CACHE = ("kv_cache", "kv-cache", "kvcache", "kv cache", "kv_data_type", "prefix_prefill", "reshape_and_cache")
"""Words of the cache of keys and values that a server keeps."""

ENGINES = (
    " gaudi", "habana_", " hpu", " npu", " ascend", "vulkan_", "dml_util", "[trt]", "tensorrt", "executorch",
    "openvino",
    "onnxruntime", "torch_xla", "turbomind", "ggml_",
)
"""Words of devices and engines beside torch's own: there neither its kernels nor the CPU's are what lacks a dtype."""

_NARROW = ("fp8 ", "float8", "mxfp8", "mxfp4", "nvfp4")
_LACKS_OP = "pattern:device-lacks-op|pattern:some-device-refused|pattern:device-not-taken"
_ELSEWHERE = "update torch, or run this op on the CPU: op(x.cpu()).to(x.device)"

CAUSES = (
    Cause(
        name="half-on-cpu", weight=0.25,
        text="a half-precision model or tensor runs on the CPU, where this kernel does not support {half}: it was loaded in half precision and never moved to a GPU, or torch sees no GPU",
        needs=("unsupported-dtype", "has:float16|has:bfloat16"),
        clues=(
            Clue(weight=0.55, facts=("has:float16", "on:cpu"), says="float16 on the CPU"),
            Clue(weight=0.25, facts=("has:float16",)),
            Clue(weight=-0.5, facts=("on:cuda|on:mps|on:npu",)),
            Clue(weight=-0.2, facts=("has:bfloat16",)),
            Clue(weight=-0.5, words=("cuda.amp", "torch.cuda", "torch.sparse", "xpu:", "npu:", "mps:", "cuda:")),
            Clue(weight=-0.9, facts=("pattern:fp16-needs-gpu|pattern:fp16-arguments-need-gpu",)),
            Clue(weight=-0.6, facts=("expected:float16|expected:bfloat16",)),
            Clue(weight=-0.3, words=("torch_scatter", "torch_sparse", "torch_cluster", "amp/", "autocast")),
            Clue(weight=-0.6, words=ENGINES),
        ),
        help=(
            "on the CPU, use float32 (model.float(), torch_dtype=torch.float32) or bfloat16",
            "to run on a GPU: model.to('cuda'), and torch.cuda.is_available() must be True (it is False with a CPU-only build)",
        ),
    ),
    Cause(
        name="sdpa-backend-refused", weight=0.4,
        text="the backends enabled by sdpa_kernel (or torch.backends.cuda.enable_…) do not support these inputs: flash needs float16 or bfloat16 and Ampere or newer, and both need a supported head size and mask",
        needs=("pattern:sdpa-backends-refuse",),
        help=(
            "cast query, key and value to float16 or bfloat16, or also allow SDPBackend.MATH, which supports every dtype",
            "the warnings right above the error say why each backend was rejected",
        ),
    ),
    Cause(
        name="cpu-only-build", weight=0.3,
        text="torch sees no GPU: a CPU-only build, an incompatible driver, or CUDA_VISIBLE_DEVICES hides it",
        needs=("unsupported-dtype|precision-config|grad-scaler", "on:cpu|pattern:autocast-without-device"),
        help=("python -c 'import torch; print(torch.__version__, torch.cuda.is_available())': install a CUDA build of torch if it says +cpu",),
    ),
    Cause(
        name="kernel-computes-in-float64", weight=0.4,
        text="the kernel of {op} computes in float64 internally, whatever the dtype of its operands, and this GPU has no float64",
        needs=("pattern:device-lacks-float64",),
        help=(
            "update torch and the driver (fewer kernels need float64), or run this op on the CPU: op(x.cpu()).to(x.device)",
            "emulation: OverrideDefaultFP64Settings=1 IGC_EnableDPEmulation=1",
        ),
    ),
    Cause(
        name="device-lacks-op", weight=0.5,
        text="this version or build of torch has no kernel for {op} on this device, in any dtype",
        needs=("unsupported-device", _LACKS_OP), clues=(Clue(weight=-0.9, facts=("on:mps",)),), help=(_ELSEWHERE,),
    ),
    Cause(
        name="mps-lacks-op", weight=0.9, text="this version of torch has no MPS kernel for {op}, in any dtype",
        needs=("unsupported-device", _LACKS_OP, "on:mps"),
        help=("PYTORCH_ENABLE_MPS_FALLBACK=1, set before torch is imported, runs such ops on the CPU", _ELSEWHERE),
    ),
    Cause(
        name="float8-of-amd", weight=0.6,
        text="AMD's MI300 (ROCm) multiplies in float8_e4m3fnuz, NVIDIA's GPUs in float8_e4m3fn: each rejects the other's format",
        needs=("unsupported-dtype", "op:_scaled_mm|op:scaled_mm", "has:float8_e4m3fn|has:float8_e4m3fnuz"),
        help=("use torch.float8_e4m3fnuz if torch.version.hip is set on gfx942, otherwise torch.float8_e4m3fn",),
    ),
    Cause(
        name="cache-dtype", weight=-0.2,
        text="this attention backend, model or GPU does not support the dtype of the KV cache",
        needs=("unsupported-dtype|dtype-mismatch",),
        clues=(Clue(weight=0.9, words=CACHE), Clue(weight=0.4, facts=("pattern:cache-dtype",))),
        help=("--kv-cache-dtype auto, or another attention backend; fp8 caches need a backend and a GPU that support fp8",),
    ),
    Cause(
        name="quantized-twice", weight=0.85,
        text="quantized weights are quantized again: a 4-bit or 8-bit checkpoint is loaded with another quantization_config, or was moved off the GPU and back",
        needs=("pattern:bitsandbytes-dtype", "quantized-storage"),
        help=("load it without your own quantization_config; do not offload 4-bit weights to the CPU",),
    ),
    Cause(
        name="graph-dtype-refused", weight=0.2,
        text="the exported graph has weights or inputs of a dtype that this runtime does not support",
        needs=("pattern:onnx-importer|pattern:onnx-no-kernel|pattern:qnn-op-refused|pattern:tensor-type-asserted|pattern:mosaic-type|pattern:tvm-op-type|pattern:openvino-precision",),
        help=("export in float32 (int32 for indices) and let the runtime choose the precision: trtexec --fp16",),
    ),
    Cause(
        name="kernel-lacks-dtype", weight=0.45,
        text="this version of torch has no kernel for {op} with {dtype} on this device; newer versions often do",
        needs=(
            "unsupported-dtype",
            "pattern:not-implemented-for|pattern:floating-dtype-only|pattern:fft-lacks-dtype|pattern:mps-lacks-dtype",
        ),
        clues=(
            Clue(weight=0.25, facts=("has:bfloat16",), says="bfloat16 kernels were added late"),
            Clue(weight=0.1, facts=("on:cuda",)),
            Clue(weight=-0.35, facts=("float8",)),
            Clue(weight=-0.6, words=ENGINES),
        ),
        help=("cast around the op: op(x.float()).to(x.dtype), or update torch",),
    ),
    Cause(
        name="integers-have-no-kernel", weight=0.75,
        text="an integer or bool tensor reaches an op that supports floating-point dtypes only",
        needs=("unsupported-dtype", "integers"),
        clues=(
            Clue(weight=-0.2, facts=("op:normal_",)),
            Clue(weight=-0.7, facts=("pattern:bitsandbytes-dtype|pattern:cache-dtype|pattern:mlir-operand-type",)),
            Clue(weight=-0.7, facts=("pattern:onnx-importer",)),
        ),
        help=("cast it first: x.float(); for labels and masks, check that the arguments are in the right order",),
    ),
    Cause(
        name="initialised-quantized-weights", weight=0.85,
        text="weight initialisation runs on quantized (integer) parameters",
        needs=("unsupported-dtype", "integers", "op:normal_|op:uniform_"),
        help=("use _fast_init or skip initialization for quantized modules; update transformers",),
    ),
    Cause(
        name="gpu-lacks-bfloat16", weight=0.5,
        text="bfloat16 is used on a GPU older than Ampere (compute capability below 8.0), such as T4, V100, RTX 20",
        needs=(
            "unsupported-dtype|precision-config",
            "pattern:gpu-lacks-bfloat16|pattern:autocast-bfloat16|pattern:bf16-gpu-unsupported|pattern:tf32-unsupported|pattern:sdpa-no-kernel|pattern:xformers-bf16-capability|pattern:kernel-needs-newer-gpu",
        ),
        help=("use float16 there: torch_dtype=torch.float16, --dtype half, fp16=True and bf16=False",),
    ),
    Cause(
        name="gpu-lacks-float8", weight=0.3,
        text="float8 matrix products need compute capability 8.9 (Ada) or 9.0 (Hopper)",
        needs=(
            "unsupported-dtype",
            "pattern:triton-lacks-fp8|pattern:scaled-mm-dtype|pattern:mlir-operand-type|float8",
        ),
        clues=(
            Clue(weight=0.2, facts=("pattern:scaled-mm-dtype",)),
            Clue(weight=-0.7, facts=("pattern:mlir-operand-type", "has:int64|has:int32|has:float16|has:bfloat16|has:float32")),
        ),
        help=("use a 16-bit dtype, or float8 storage with 16-bit compute",),
    ),
    Cause(
        name="blas-lacks-combination", weight=0.3,
        text="the matrix multiplication library has no kernel for these dtypes, layouts and sizes on this GPU: the GPU lacks the dtype, the operands have two formats, or the library's version differs from the one torch was built with",
        needs=("pattern:cublas-refuses",),
        help=(
            "try the product in float32; if it works, choose a dtype that this GPU supports (docs/machines.md)",
            "if float16 fails on a GPU that supports it: pip list | grep cublas, and unset LD_LIBRARY_PATH so that torch uses its own library",
        ),
    ),
    Cause(
        name="autocast-forbids", weight=0.5,
        text="binary cross entropy of probabilities is not safe in half precision, so autocast forbids it",
        needs=("pattern:unsafe-to-autocast",),
        help=(
            "use binary_cross_entropy_with_logits on the logits, without the sigmoid",
            "or disable autocast for the loss: with torch.autocast(…, enabled=False): loss(p.float(), y.float())",
        ),
    ),
    Cause(
        name="numpy-lacks-dtype", weight=0.5, text="NumPy has no {dtype}", needs=("pattern:numpy-lacks-dtype",),
        help=("x.float().numpy()",),
    ),
    Cause(
        name="torch-lacks-numpy-dtype", weight=0.5, text="torch has no counterpart of this NumPy dtype",
        needs=("pattern:from-numpy-dtype",), help=("convert in NumPy first: x.astype(np.int32) or np.float32",),
    ),
    Cause(
        name="backend-lacks-dtype", weight=0.45, text="the {accelerator} backend does not support {dtype}{often}",
        needs=("unsupported-dtype", "on:mps|on:npu|pattern:fused-optimizer-params|on:xpu|on:hpu"),
        clues=(
            Clue(weight=-0.6, facts=("pattern:device-lacks-float64|has:complex64|has:complex128|has:complex32",)),
            Clue(weight=0.6, words=("float64", "double", "numpy", "linspace(")),
        ),
        help=("before moving it, convert to a dtype that is supported or listed in the message: x.float().to(device)",),
    ),
    Cause(
        name="backend-lacks-complex", weight=0.8,
        text="the {accelerator} backend of this version of torch does not support {dtype}; FFTs, torch.polar and some rotary embeddings use complex numbers",
        needs=("unsupported-dtype", "on:mps|on:npu|on:xpu|on:hpu", "has:complex64|has:complex128|has:complex32"),
        help=(
            "compute this part on the CPU and move the real results back; newer versions of torch support complex numbers on more devices",
            "or compute with cos and sin, or with torch.view_as_real, instead of complex numbers",
        ),
    ),
    Cause(
        name="library-refuses-dtype", weight=0.4,
        text="{library} does not support this dtype: the model or its input has another precision than the kernel expects",
        needs=(
            "pattern:dtype-refused|pattern:dtype-not-taken|pattern:kernel-falls-through|pattern:quantization-wants-dtype|pattern:fft-lacks-dtype|pattern:dtype-no-key|pattern:bitsandbytes-dtype|pattern:executorch-kernel|pattern:lora-kernel-lacks-dtypes",
        ),
        clues=(Clue(weight=0.2, facts=("expected:float16|expected:bfloat16",), says="the message names the accepted dtypes"),),
        help=("cast to a dtype named in the message before the call, or load the model in it",),
    ),
    Cause(
        name="quantized-reaches-float-op", weight=0.5,
        text="a quantized tensor reaches {op}, which has no quantized kernel: there is no DeQuantStub before it, or it was not replaced by its quantized version",
        needs=("pattern:quantized-lacks-op",),
        help=(
            "dequantize before it: torch.ao.quantization.DeQuantStub, or x.dequantize()",
            "for + and cat, use torch.ao.nn.quantized.FloatFunctional, which the conversion replaces",
        ),
    ),
    Cause(
        name="subclass-lacks-op", weight=0.5,
        text="torchao's quantized weight does not implement {op}: the model uses the weight outside its layer",
        needs=("pattern:subclass-lacks-op",),
        help=(
            "exclude this layer from quantization with the filter_fn of quantize_",
            "dequantize the weight before the call: weight.dequantize()",
        ),
    ),
    Cause(
        name="hardware-lacks-dtype", weight=0.45,
        text="this processor does not support {dtype}, which needs a newer GPU or a CPU with other instructions",
        needs=(
            "pattern:hardware-lacks-dtype|pattern:triton-cast-refused|pattern:dtype-not-in-list|pattern:deepspeed-accelerator-dtype|pattern:cpu-lacks-bf16-path|pattern:gpu-library-lacks-dtype|pattern:engine-lacks-native-dtype|pattern:quantization-needs-gpu|pattern:xla-lowering|pattern:gpu-instruction-missing|pattern:compute-type-refused|pattern:device-lacks-16-bit|pattern:xla-lacks-wide-types",
        ),
        clues=(Clue(weight=-0.5, words=_NARROW),),
        help=(
            "choose a dtype that the device supports: float16 on GPUs before Ampere, bfloat16 on TPUs, float32 on CPUs",
            "if torch.cuda.is_bf16_supported() is True, the library's own check is wrong: torch sees no GPU on that node, or the check reads a CUDA version that ROCm does not have",
        ),
    ),
    Cause(
        name="engine-lacks-quantization", weight=0.7,
        text="{library} has no ROCm kernels for this quantization in this version",
        needs=("pattern:rocm-lacks-quantization",),
        help=("use a newer version, or a checkpoint without this quantization: 16-bit, GPTQ or AWQ",),
    ),
    Cause(
        name="gpu-lacks-narrow-format", weight=0.0,
        text="the format needs a newer GPU: float8 products need Ada (compute capability 8.9) or Hopper (9.0); MXFP8, MXFP4 and NVFP4 products need Blackwell (10.0)",
        needs=("unsupported-dtype", "pattern:hardware-lacks-dtype|pattern:quantization-needs-gpu"),
        clues=(Clue(weight=1.0, words=_NARROW),),
        help=("keep the weights in that format and compute in 16 bits (weight-only kernels such as Marlin), or use a 16-bit or int8 checkpoint",),
    ),
    Cause(
        name="fft-half-sizes", weight=0.5, text="cuFFT supports half precision only for sizes that are powers of two",
        needs=("pattern:gpu-fft-half",),
        help=("disable autocast for the FFT and use float32: torch.fft.rfftn(x.float())",),
    ),
    Cause(
        name="no-attention-kernel", weight=0.5,
        text="no attention kernel supports this dtype on this GPU, often because the only enabled backend needs a newer GPU or half precision",
        needs=("pattern:sdpa-no-kernel|pattern:xformers-no-operator",),
        help=("allow the math backend (sdpa_kernel(SDPBackend.MATH)), use float16, or update torch",),
    ),
    Cause(
        name="boolean-arithmetic", weight=0.5,
        text="comparisons return bool tensors, for which torch has no subtraction", needs=("pattern:bool-arithmetic",),
        help=("~mask instead of 1 - mask; mask.logical_xor(other) instead of a difference",),
    ),
)
