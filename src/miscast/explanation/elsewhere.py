"""Whether a message is of another framework or of a compiler of C, which say the same of their own dtypes."""

from __future__ import annotations

import builtins

from ..regex import regex
from .frame import Frame
from .recognise import ENGINES, Recognised

_WORDS = (
    "tf.float", "tf.int",
    "[[node", "tensorarray", "<tf.", "skl2onnx", "tensorflow", "keras", "jax", "jnp.", "lax.", "flax",
    "paddle", "mxnet", "cupy", "mlx.", "graph_def", "ophastype", "eagertensor",
    "datatypeoftheintarray", "intarraybase", "invalid_argument:", "mindspore", "polars",
    "arrowstring", "pandas", "pyarrow", "numba", "opencv", "cv2.error", "cv::", "ndarray.dtype",
    "oneflow::", "oneflow", "jittor", "tinygrad", "sqlalchemy", "protobuf", "pydantic",
    "bufferdtypemismatch", "cannotcastufunc", "dtypepromotionerror",
    "ufunctypeerror", "analysisexception", "org.apache", "psqlexception", "[op:",
    "shapedarray(", "enforcenotmet", "oserror", "errno", "daft", "cudf", "catboost",
    "(notfound)", "xgboost", "lightgbm",
    "mismatchedtypes", "error[e0", "[e0308]", "possiblelossyconversion",
    "accordingtotherule", "cannotsafelycast", "intcastingnan", "duckdb",
    "sparkdatatype", "clickhouse",
    ",lhs:", "mistralrs", "candle", "function_node", "statefulpartitioned",
    "gymnasium", "optax", "webnn", "wgpuerror", "onnxruntime-web", "tf-trt", "parquet", "sparsematrix", "ncnn",
    "tch-rs", "opencl",
    "taichi", "cudandarray", "dtypepolicy", "dot_generalrequires", "forimagedata", "zarr.", "h5py", "seriesdtype",
    "divergedwithloss", "xlaruntimeerror", "jaxruntimeerror", "pep3118", "ingdf",
    "nanlossduringtraining", "theano", "spirv_ir", "unknowntypename", "floatx", "tpudriver",
    "cuarray", "cudanative", "juliagpu", "methoderror", "invalidirerror",
    "inferdatatypefailed", "ggml_qnn_supports",
    "glsl", "fragmentshader", "unsupportedsafetensordtype", "internalerrorf8",
    "::eval_cpu", "::eval_gpu", "tflite2onnx", "mlxerror", "notequaloriginaldtype", "incompatiblewiththelayer",
)  # fmt: skip
_FILES = (
    "tensorflow", "keras", "jax", "flax", "paddle", "mxnet", "cupy", "mindspore",
    "pandas", "polars", "optax", "sklearn", "scipy", "pyspark", "xgboost",
    "lightgbm", "statsmodels", "oneflow",
)  # fmt: skip
_SOURCES = regex(
    r"(?<!compiler_depend)\.(?:rs|go|java|kt|swift|ts|cs|scala|zig|hs)[:(]\d"
)
"""A line of another language's program, as its compiler tells it; torch_npu calls its C++ "compiler_depend.ts"."""
_TENSORFLOW = (
    "[op:__",
    "op:__inference",
    "tensorflow.python",
    "mixed_float16",
    "gradient_tape",
    "tf.function",
)
_CHECKS = ("torch_xla", "dgl", "tvm")
"""Of torch's world, and they check in TensorFlow's words."""
_ANYWHERE = ("checkfailed:", "unfilteredstacktrace", "result::unwrap", "(zero-based)")
"""How frameworks that took over torch's texts, with its words, begin them: oneflow, TensorFlow."""
_CHECKING = ("torch_xla/", "executorch", "/aten/", "c10/")
"""Files of torch's world that check in the same words."""
_OURS = (
    *ENGINES,
    "torch", "cuda", "bf16", "bfloat16", "fp16", "fp8", "fp4", "float8", "nf4", "mxfp",
    "triton", "turbomind", "lmdeploy", "c10::", "nccl", "zero", "deepspeed", "runtimeerror:", "autocast", "gemm",
    "kernel", "attention", "moe", "cu_seqlens", "mpsbackend", "kv_cache", "kvcache", "hidden_states", "lora_", "expert",
    "gradient", "tensorcore", "quantiz", "apiusageerror", "internalerror(", "miscellaneous(",
    "coremltools", "dmlbackend", "onnxruntime", "huggingface", "diffusers", "transformers", "safetensors",
    "hidden_state", "inputs_embeds", "attention_mask", "arith.", "linalg.", "nvvm.", "nvptx", "amdgcn", "ptxas",
    "aten::", "onnxexport", "bitsandbytes", "hiperror", "rocm", "hipblas", "rocblas",
    "deformconv", "deformableconv", "nmsis", "roialign", "roi_align", "mmcv",
    "unsloth", "vllm", "sglang", "xformers", "flashinfer", "flashmla", "deepgemm", "sageattention", "nvcc",
    "computecapability", "gputoooldfortriton", "amdgpu", "hipcc", "ascend", "libbitsandbytes", "gfx1", "gfx9",
)  # fmt: skip
"""Words of torch's world. RuntimeError is what its C++ raises, and its extensions'."""
_OUR_PLACES = regex(
    r"\b(?:XPU|NPU|HPU|MPS|Gaudi|Ascend|[xnh]pu|mps|[xnhm]p[us]:\d)\b"
    r"|(?i:\b(?:sm[_ ]?\d{2,3}[a-z]?|gfx\d\w+|compute_\d+|hopper|blackwell|ampere|turing gpu|cuda capabilit(?:y|ies)"
    r")\b)"
)
"""Devices and generations of GPUs by which nobody but torch's world and its neighbours speak."""
_OUR_FILES = (
    "torch", "transformers", "diffusers", "accelerate", "peft", "trl", "deepspeed",
    "vllm", "sglang", "flash_attn", "flashinfer", "xformers", "triton", "bitsandbytes",
    "lightning", "megatron", "comfy", "unsloth", "apex", "fla/", "mamba", "gptq", "awq",
    "executorch", "coremltools", "onnx",
)  # fmt: skip
_TORCH = (
    *_OURS,
    "onnx",
    "tensorrt",
    "xla",
    "npu",
    "xpu",
    "mps",
    "at::",
    "tensorproto",
    "vllm",
    "dgl",
)
_TENSORS = (
    *_TORCH, "tensor", "matmul", "gpu", "device", "hfusion", "hivm", "signless", "scalartype", "mixedprecision",
    "mlmodel", "numpytype", "unsloth", "sglang", "gguf", "ggml", "llama", "lora", "f8_e", "layernorm", "weight",
    "query", "activation", "cpu", "halfprecision", "triton", "inferenceserver", "vulkan", "opset",
)  # fmt: skip
"""Words of tensors, devices and engines, without one of which nobody's own message of a dtype is torch's."""
_NEAR_OURS = (
    "torch",
    "cuda",
    "transformers",
    "diffusers",
    "comfy",
    "deepspeed",
)
_TYPES = ("dtype-mismatch", "unsupported-dtype")
_BESIDE = (
    "tensorflow/",
    "tensorflow.",
    "itex/",
    "paddle/",
    "paddle.",
    "mxnet",
    "jaxlib",
    "mindspore",
)
_OTHERS = regex(
    r"\b(?:candle|mistralrs|diffusion_rs|burn|cubecl|dfdx|safetensors_rs)[_-](?:core|nn|cuda|cubecl|wgpu|tensor|matmul|kernels?)"
    r"|panicked at|(?i:unfilteredstacktrace|syclprogramcompilation|result::unwrap|jax-internal)"
    r"|\bjit\(main\)|loc\(\"jit\("
)
"""Frameworks in Rust and JAX, where the lines beside a message name them."""
_RUST = regex(
    r"[Dd][Tt]ype (?:BF|F|U|I)\d{1,2}(?:E\dM\d)? for op "
    r"|[Dd][Tt]ype, expected: (?:BF|F|U|I)\d{1,2}\b|\b[lr]hs[:=] ?(?:Scalar|F\d\d|BF16)"
)
"""How candle and burn put it."""
_RAISED = regex(r"([A-Za-z_]\w{2,60}(?:Error|Exception|Invalid)): ")
_BESIDES = regex(
    r"\b(?:cudf|polars|pandas|mlx|jaxlib|mosaic|numba|pyarrow|dask)[/.](?=[a-z])|\bmlx array|\bgdf\b"
)
"""What stands beside a message of nobody's own that is about a data frame's or another framework's type."""
_DTYPE = regex(r"torch\.(?:float|bfloat|int|uint|half|bool|complex|double|long)")
"""A dtype as torch prints it."""
_NEAR = 3


def elsewhere(found: Recognised, frames: tuple[Frame, ...], near: str) -> bool:
    """True where the message's words or its innermost frames name another framework.

    What others say in the same words is not claimed either where the lines beside it, `near`, name one.
    """
    if "dpctl" in near:
        return True
    if found.pattern.library in _CHECKS:
        text = f"{found.message.text}{near}"
        return _by_files(frames) or any(word in text for word in _TENSORFLOW)
    if any(word in found.message.text for word in _ANYWHERE) and not any(
        word in found.message.text for word in _CHECKING
    ):
        return True
    if _OTHERS.search(near) or _RUST.search(found.message.source):
        return True
    if found.pattern.library:
        return False
    if found.pattern.faint and (
        not _ours(found, frames) or any(word in near for word in _BESIDE)
    ):
        return True
    if found.pattern.category in _TYPES and not (
        _ours(found, frames) or _of_tensors(found, near)
    ):
        return True
    text = found.message.text
    if _DTYPE.search(text):
        return _by_files(frames)
    return (
        any(word in text for word in _WORDS)
        or _BESIDES.search(near) is not None
        or _SOURCES.search(text) is not None
        or _raised_elsewhere(found)
        or _by_files(frames)
    )


def _ours(found: Recognised, frames: tuple[Frame, ...]) -> bool:
    """Whether the message or a frame tells of torch's world."""
    return (
        any(word in found.message.text for word in _OURS)
        or _OUR_PLACES.search(found.message.source) is not None
        or any(word in frame.path.lower() for frame in frames for word in _OUR_FILES)
    )


def _of_tensors(found: Recognised, near: str) -> bool:
    """Whether the message speaks of tensors, devices or engines, or the lines beside it of torch."""
    return any(word in found.message.text for word in _TENSORS) or any(
        word in near for word in _NEAR_OURS
    )


def _raised_elsewhere(found: Recognised) -> bool:
    """Whether an exception was raised that is not Python's, and nothing tells of torch's world: "ComputeError: …"."""
    raised = _RAISED.search(found.message.source)
    if raised is None or any(word in found.message.text for word in _TORCH):
        return False
    name = f"{raised[1][0].upper()}{raised[1][1:]}"
    return not isinstance(getattr(builtins, name, None), type)


def _by_files(frames: tuple[Frame, ...]) -> bool:
    files = [frame.path.lower() for frame in frames[-_NEAR:]]
    return any(name in file for file in files for name in _FILES)
