"""Words, files and spellings of torch's ecosystem, and of others. Data only, for `elsewhere.py`."""

from ..core.regex import regex
from .recognise import ENGINES

# other worlds
WORDS = (
    "tf.float", "tf.int", "[[node", "tensorarray", "<tf.", "skl2onnx", "tensorflow", "keras", "jax", "jnp.", "lax.",
    "flax", "paddle", "mxnet", "cupy", "mlx.", "graph_def", "ophastype", "eagertensor", "datatypeoftheintarray",
    "intarraybase", "invalid_argument:", "mindspore", "polars", "arrowstring", "pandas", "pyarrow", "numba",
    "opencv", "cv2.error", "cv::", "ndarray.dtype", "oneflow", "jittor", "tinygrad", "sqlalchemy", "protobuf",
    "pydantic", "bufferdtypemismatch", "cannotcastufunc", "dtypepromotionerror", "ufunctypeerror",
    "analysisexception", "org.apache", "psqlexception", "[op:", "shapedarray(", "enforcenotmet", "oserror", "errno",
    "daft", "cudf", "catboost", "(notfound)", "xgboost", "lightgbm", "mismatchedtypes", "error[e0", "[e0308]",
    "possiblelossyconversion", "accordingtotherule", "cannotsafelycast", "intcastingnan", "duckdb", "sparkdatatype",
    "clickhouse", ",lhs:", "mistralrs", "candle", "function_node", "statefulpartitioned", "gymnasium",
    "retrievedshape", "zipmap", "treeensemble", "opkernelfor", "optax", "webnn", "wgpuerror", "onnxruntime-web",
    "tf-trt", "parquet", "sparsematrix", "ncnn", "tch-rs", "opencl", "taichi", "cudandarray", "dtypepolicy",
    "dot_generalrequires", "forimagedata", "zarr.", "h5py", "seriesdtype", "divergedwithloss", "xlaruntimeerror",
    "pep3118", "ingdf", "nanlossduringtraining", "theano", "spirv_ir", "unknowntypename", "floatx", "tpudriver",
    "cuarray", "cudanative", "juliagpu", "methoderror", "invalidirerror", "open3derror", "selectcasesmusthave",
    "platformspresentare", "convert_packing", "realfloatingpointtypesaresupported", "cannotsettensor",
    "availablebackendsare", "binaryoperator", "byte-addressable", "errorlaunchingkernel", "drivererror(", "wgpu(",
    "inferdatatypefailed", "ggml_qnn_supports", "glsl", "fragmentshader", "unsupportedsafetensordtype",
    "internalerrorf8", "::eval_cpu", "::eval_gpu", "tflite2onnx", "mlxerror", "notequaloriginaldtype",
    "incompatiblewiththelayer",
)  # fmt: skip
FILES = (
    "tensorflow", "keras", "jax", "flax", "paddle", "mxnet", "cupy", "mindspore",
    "pandas", "polars", "optax", "sklearn", "scipy", "pyspark", "xgboost",
    "lightgbm", "statsmodels", "oneflow",
)  # fmt: skip
SOURCES = regex(
    r"(?<!compiler_depend)\.(?:rs|go|java|kt|swift|ts|cs|scala|zig|hs)[:(]\d"
)
"""A line of another language's program, as its compiler tells it; torch_npu calls its C++ "compiler_depend.ts"."""
ROUTED = ("pytorch", "text_generation")
"""Words of a program in another language that only passes on torch's messages: a router of requests."""
TENSORFLOW = (
    "[op:__", "op:__inference", "tensorflow.python", "mixed_float16", "gradient_tape", "tf.function",
)  # fmt: skip
ANYWHERE = ("checkfailed:", "unfilteredstacktrace", "result::unwrap", "(zero-based)")
"""The start of messages that other frameworks took from torch, with its words: oneflow, TensorFlow."""
BESIDE = (
    "tensorflow/", "tensorflow.", "itex/", "paddle/", "paddle.", "mxnet", "jaxlib", "mindspore",
)  # fmt: skip
BESIDES = regex(
    r"\b(?:cudf|polars|pandas|mlx|jaxlib|mosaic|numba|pyarrow|dask)[/.](?=[a-z])|\bmlx array|\bgdf\b"
)
"""Text next to a message of unknown origin that is about a data frame's or another framework's type."""
OTHERS = regex(
    r"\b(?:candle|mistralrs|diffusion_rs|burn|cubecl|dfdx|safetensors_rs)[_-](?:core|nn|cuda|cubecl|wgpu|tensor|matmul|kernels?)"
    r"|panicked at|(?i:unfilteredstacktrace|syclprogramcompilation|result::unwrap|jax-internal)"
    r"|\bstream_executor|\bxla::gpu|\.jl:\d|\.julia/|(?i:metal device set to)"
    r"|\bjit\(main\)|loc\(\"jit\(|dpctl"
)
"""Frameworks in Rust and JAX, and SYCL's in Python, where the lines beside a message name them."""
RUST = regex(
    r"[Dd][Tt]ype (?:BF|F|U|I)\d{1,2}(?:E\dM\d)? for op "
    r"|[Dd][Tt]ype, expected: (?:BF|F|U|I)\d{1,2}\b|\b[lr]hs[:=] ?(?:Scalar|F\d\d|BF16)"
)
"""Messages of candle and burn."""
SPELT = regex(
    r"rror: \[(?:[a-z_]{2,40}|[A-Z]\w{1,40}::\w{1,20})\] "  # MLX
    r"|\b(?:float|int|uint|bfloat|complex|bool)\d{0,3}\[\d[\d,]{0,40}\]"  # JAX
    r"|\bdtypes\.(?:float|half|bfloat|int|uint|bool|double)"  # tinygrad
    r"|[Aa]rgument '\w{1,40}' passed to '\w{1,40}' must be"  # TensorFlow.js
    r"|data type of '\w{1,40}' in \w{1,60} (?:must|only)"  # Paddle
    r"|data type '\w{1,40}' not understood|(?<!numpy )\bdtype\('"  # NumPy
)
"""Dtype spellings and message starts of others."""
BUILT = regex(r"([\w./\\-]{1,200}\.(?:cu|cuh|cpp|cc|cxx|c|h|hpp|hxx|inl)) ?[:(,]")
"""A source of C++ that a message was raised in."""
ENGINES_OF_OTHERS = (
    "kokkos", "raft/", "rmm/", "rmm:", "thrust::", "pycuda", "lammps", "namd", "relion", "open3d", "dali/", "tinygrad",
    "hoomd", "openmm", "xmrig", "ethminer", "colmap", "meshroom", "cycles", "throw_api_error", "cuda.jl", "hashcat",
    "gromacs", "cuml", "cugraph", "faiss", "arrayfire", "mlx", "randomx", "cryptonight", "scanhash", "device query",
    "dark_cuda", "blas_kernels", "stacktrace:",
)  # fmt: skip
TRAINERS_OF_OTHERS = (
    "solver.cpp", "ppdet", "paddle", "mindspore", "/flux/", "keras", "npmat", "mlx", "peak mem", "caffe", "[=====",
    "tf.", "ggml_validate", "tensorpack", "gluon", "mxnet", "tiny_dnn", "tiny-dnn", "root info: epoch", "recommender",
)  # fmt: skip
"""Beside a loss that is no number."""
RAISED = regex(r"([A-Za-z_]\w{2,60}(?:Error|Exception|Invalid)): ")

# torch's
CHECKS = ("torch_xla", "dgl", "tvm")
"""Projects of torch's ecosystem that check in TensorFlow's words."""
CHECKING = ("processgroup", "torch_xla/", "executorch", "/aten/", "c10/")
"""Files of torch's world that check in the same words."""
OURS = (
    *ENGINES,
    "torch", "cuda", "bf16", "bfloat16", "fp16", "fp8", "fp4", "float8", "nf4", "mxfp",
    "triton", "turbomind", "lmdeploy", "c10::", "nccl", "zero", "deepspeed", "runtimeerror:", "autocast", "gemm",
    "kernel", "attention", "moe", "cu_seqlens", "mpsbackend", "kv_cache", "kvcache", "lora_", "expert",
    "gradient", "tensorcore", "quantiz", "apiusageerror", "internalerror(", "miscellaneous(",
    "coremltools", "dmlbackend", "onnxruntime", "huggingface", "diffusers", "transformers", "safetensors",
    "hidden_state", "inputs_embeds", "arith.", "linalg.", "nvvm.", "nvptx", "amdgcn", "ptxas",
    "aten::", "onnxexport", "bitsandbytes", "hiperror", "rocm", "hipblas", "rocblas",
    "deformconv", "deformableconv", "nmsis", "roialign", "roi_align", "mmcv",
    "unsloth", "vllm", "sglang", "xformers", "flashinfer", "flashmla", "nvcc",
    "inductorerror", "computecapability", "amdgpu", "hipcc", "ascend", "gfx1", "gfx9",
)  # fmt: skip
"""Words of torch's world. RuntimeError is what its C++ raises, and its extensions'."""
OUR_PLACES = regex(
    r"\b(?:XPU|NPU|HPU|MPS|Gaudi|Ascend|[xnh]pu|mps|[xnhm]p[us]:\d)\b"
    r"|(?i:\b(?:sm[_ ]?\d{2,3}[a-z]?|gfx\d\w+|compute_\d+|hopper|blackwell|ampere|turing gpu|cuda capabilit(?:y|ies)"
    r")\b)"
)
"""Devices and generations of GPUs by which nobody but torch's world and its neighbours speak."""
OUR_FILES = (
    "torch", "transformers", "diffusers", "accelerate", "peft", "trl", "deepspeed",
    "vllm", "sglang", "flash_attn", "flashinfer", "xformers", "triton", "bitsandbytes",
    "lightning", "megatron", "comfy", "unsloth", "apex", "fla/", "mamba", "gptq", "awq",
    "coremltools", "onnx",
)  # fmt: skip
OUR_SOURCES = (
    "torch", "aten", "c10/", "/thc", "vllm", "sglang", "flash", "xformers", "bitsandbytes", "csrc", "mmcv", "detectron",
    "ggml", "llama", "tensorrt", "onnx", "nccl", "deepspeed", "nunchaku", "gptq", "awq", "triton",
    "pointnet", "openpcdet", "_ext", "ext-src", "miopen", "rocm", "cutlass", "turbomind", "lmdeploy", "mamba",
    "rasteriz", "simple-knn", "tiny-cuda-nn", "instant-ngp", "apex", "megatron", "transformer_engine",
    "openvino", "ipex", "op-plugin", "sageattn", "marlin", "site-packages",
)  # fmt: skip
"""Parts of paths in torch's ecosystem, and in projects built on it."""
TORCH = (*OURS, "onnx", "xla", "npu", "xpu", "mps", "at::", "tensorproto", "dgl")
TENSORS = (
    *TORCH, "tensor", "matmul", "gpu", "device", "hfusion", "hivm", "signless", "scalartype", "mixedprecision",
    "mlmodel", "numpytype", "gguf", "ggml", "llama", "lora", "f8_e", "layernorm", "weight",
    "query", "activation", "cpu", "halfprecision", "inferenceserver", "vulkan", "opset",
)  # fmt: skip
"""Words of tensors, devices and engines, without one of which nobody's own message of a dtype is torch's."""
NEAR_ENGINES = (
    "torch", "c10::", "at::", "vllm", "sglang", "transformers", "diffusers", "comfy", "bitsandbytes", "site-packages",
    "kernel errors might be asynchronously", "ggml", "llama",
)  # fmt: skip
"""Words next to a missing build feature or device that show that torch's ecosystem lacks it."""
NEAR_OURS = ("torch", "cuda", "transformers", "diffusers", "comfy", "deepspeed")
DTYPE = regex(r"torch\.(?:float|bfloat|int|uint|half|bool|complex|double|long)")
"""A dtype as torch prints it."""
