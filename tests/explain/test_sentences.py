"""Messages of no known origin, read by their words; and ordinary errors in the same words, which are not claimed."""

from __future__ import annotations

from miscast.explanation import explained
from miscast.explanation.listed import misfits
from miscast.explanation.sentence import Sentence, spoken
from sweep import sweep

SAID = [
    ("RuntimeError: un-supported dtype: bfloat16", "unsupported-dtype", {"bfloat16"}),
    ("ValueError: the fused op does not support torch.float64", "unsupported-dtype", {"float64"}),
    ("RuntimeError: svd_cuda: CUDA does not support half", "unsupported-dtype", {"float16"}),
    ("ValueError: half precision is not supported on this CPU", "unsupported-dtype", {"float16"}),
    (
        "NotImplementedError: MXFP8 GEMM is only supported on GPUs with compute capability >= 10.0",
        "unsupported-dtype",
        set(),
    ),
    (
        "AssertionError: BF16 weight prepack needs the cpu support avx512bw, please set dtype to torch.float",
        "unsupported-dtype",
        {"bfloat16"},
    ),
    ("ValueError: Expected input of [float16, float32]. Got bfloat16", "dtype-mismatch", {"float32", "bfloat16"}),
    ("RuntimeError: Expected inputs to have type Half, found type float", "dtype-mismatch", {"float16", "float32"}),
    ("RuntimeError: x's element type (half) differs from y's element type (float).", "dtype-mismatch", {"float16"}),
    ("TypeError: x must have dtype torch.bfloat16, got torch.float32", "dtype-mismatch", {"bfloat16", "float32"}),
    ("ValueError: Mixed query, key, and value dtype is not supported on this platform", "dtype-mismatch", set()),
    ("AssertionError: weights are on cpu but the input is on cuda:0", "device-mismatch", set()),
    ("TypeError: Input tensors need to be on the same GPU, but found these combinations", "device-mismatch", set()),
    ("RuntimeError: some parameters are still on the meta device", "device-mismatch", set()),
    ("ValueError: `--fp16` and `--bf16` cannot both be set", "precision-config", set()),
    ("RuntimeError: the buffer must already be bf16, got torch.float16", "dtype-mismatch", {"bfloat16", "float16"}),
    ("TypeError: q_out is torch.float16 but q_rope_out is torch.bfloat16", "dtype-mismatch", {"float16", "bfloat16"}),
    ("RuntimeError: dtype of weight and out must be same", "dtype-mismatch", set()),
    ("RuntimeError: self scalar_type:UInt64 is not surpported.", "unsupported-dtype", {"uint64"}),
    ("ValueError: Expected floating point data for the torch metric, got torch.int64", "dtype-mismatch", {"int64"}),
    ("RuntimeError: WebGPU linear kernel: fp32-only (byte-size mismatch)", "unsupported-dtype", {"float32"}),
    ("RuntimeError: Short is not supported in oneDNN!", "unsupported-dtype", {"int16"}),
    ("RuntimeError: Device type XPU is not supported for torch.Generator() api.", "unsupported-device", set()),
    ("RuntimeError: randperm is only implemented for CPU", "unsupported-device", set()),
    ("RuntimeError: expected the weights tensor to have floating type, got Long", "dtype-mismatch", {"int64"}),
    ("RuntimeError: lookup expects the input to have an integral type. Got Float", "dtype-mismatch", {"float32"}),
    ("RuntimeError: Expected scalar type of U and dV are same.", "dtype-mismatch", set()),
    ("ValueError: packing needs the same dense type but got both torch.half and torch.float", "dtype-mismatch", set()),
    ("RuntimeError: dtype is torch.float16, while torch.float32 is expected", "dtype-mismatch", {"float32"}),
    ("AssertionError: the only supported dtype for the packed layer is torch.quint8", "unsupported-dtype", {"quint8"}),
    ("[TRT] ERROR: (Layer* 7) [ElementWise]: elementwise inputs must not be Bool", "unsupported-dtype", {"bool"}),
    ("RuntimeError: Arguments cannot have boolean element type (argument types: i1)", "unsupported-dtype", {"bool"}),
    ("EZ9999: x must be float16 or bfloat16, but got DT_FLOAT in the fused kernel", "dtype-mismatch", {"float32"}),
    ("AssertionError: device type should be the same in torch's mesh", "device-mismatch", set()),
    ("RuntimeError: Expecting all weights on the same device", "device-mismatch", set()),
    ("RuntimeError: the device of the bias (cpu) does not match that of the weight (cuda:0)", "device-mismatch", set()),
    ("RuntimeError: expert weights are on 'meta' (not materialized)", "device-mismatch", set()),
    ("[Issue] my_gemm: Unsupported dtype Float8_e4m3fn", "unsupported-dtype", {"float8_e4m3fn"}),
    ("step 40 lr 0.001 loss: nan", "overflow-nan", set()),
    ("my loss becomes NaN in fp16 after an hour", "overflow-nan", set()),
    ("NaN losses since the update", "overflow-nan", set()),
    ("bf16 gives NaN where float32 is fine", "overflow-nan", set()),
    ("AssertionError: NaN/Inf in grad of the gate", "overflow-nan", set()),
    (
        "RuntimeError: Buffer dtype mismatch for parameter k: expected torch.float16, got torch.float32",
        "dtype-mismatch",
        {"float16", "float32"},
    ),
    ("Device type privateuseone is not supported for torch.Generator() api.", "unsupported-device", set()),
    (
        "[TRT] [E] Error Code 3: API Error (Parameter check failed, condition: !config.getFlag(BuilderFlag::kFP16). )",
        "unsupported-dtype",
        {"float16"},
    ),
    ("TypeError: 'sign_out_mps()' does not support input type 'int64' in MPS backend.", "unsupported-dtype", {"int64"}),
    ("ERR01007 OPS feature not supported: bfloat16 is not supported on this chip", "unsupported-dtype", {"bfloat16"}),
    ("RuntimeError: op[MatMul], the dtype of x2 [float32] is not same as x1 [float16]", "dtype-mismatch", {"float16"}),
    ("AssertionError: cu_seqlens_k must have dtype int32", "dtype-mismatch", {"int32"}),
    ("NaN found in latents, they are set to zero", "overflow-nan", set()),
    ("nan output in fp16 mode of the engine", "overflow-nan", set()),
    ("RuntimeError: Kernel is incompatible with all devices in devs", "unsupported-dtype", set()),
    (
        "AssertionError('Both operands must be same type. First operand (bf16) and second operand (uint8)')",
        "dtype-mismatch",
        {"bfloat16", "uint8"},
    ),
    ("ValueError: Invalid mixed precision: fp61. Must be one of no, fp16, bf16", "precision-config", set()),
    ("RuntimeError: the packed scale must reside on CPU", "device-mismatch", set()),
    ("RuntimeError: hidden_in must be contiguous CUDA", "device-mismatch", set()),
    ("RuntimeError: g_buffer is not on GPU", "device-mismatch", set()),
    ("RuntimeError: the gate's expert_bias must be on the logits device", "device-mismatch", set()),
    ("ValueError: out device cuda:0 must match input device cpu", "device-mismatch", set()),
    ("NotImplementedError: zero_fill is not supported on XPU yet", "unsupported-device", set()),
    ("ValueError: This op had not been implemented on NPU backend.", "unsupported-device", set()),
    ("RuntimeError: the fused layer only supports CUDA inference.", "unsupported-device", set()),
    ("ValueError: Requested device 'mps' but MPS is not available.", "unsupported-device", set()),
    ("ValueError: No hpu is found avail on this machine", "unsupported-device", set()),
    ("RuntimeError: rotation kernels in torch need CUDA.", "unsupported-device", set()),
    ("RuntimeError: marlin kernels only support Turing or newer GPUs.", "unsupported-device", set()),
    ("AssertionError: decode only supports gfx942 and gfx950 now, but got gfx1100", "unsupported-device", set()),
    ("BackendSupportedError: mm_fp4: no support of 'cutlass' with capability 120", "unsupported-device", set()),
    ("AssertionError: Only SM100 and SM103 are supported", "unsupported-device", set()),
    ("RuntimeError: Current PyTorch build does not provide FP8 tensors", "unsupported-dtype", set()),
    ("RuntimeError: torch: Undefined type Float8_e4m3fn", "unsupported-dtype", {"float8_e4m3fn"}),
]
ORDINARY = [
    "TypeError: expected int, got float",
    "TypeError: argument must be of type float, not str",
    "TypeError: 'float' object cannot be interpreted as an integer",
    "TypeError: Object of type float32 is not JSON serializable",
    "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
    "TypeError: Expected int64, got 1e-07 of type 'float' instead.",
    "TypeError: lax.mul requires arguments to have the same dtypes, got float64, int64.",
    "ValueError: Input contains NaN, infinity or a value too large for dtype('float32').",
    "pandas.errors.IntCastingNaNError: Cannot convert non-finite values (NA or inf) to integer",
    "RuntimeError: Double buffering unsupported on cpu",
    "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 64 but got size 32",
    "ImportError: Using `bitsandbytes` 8-bit quantization requires Accelerate: `pip install accelerate`",
    "ValueError: Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed.",
    "AttributeError: module 'torch' has no attribute 'float8_e4m3fn'",
    "TypeError: from_pretrained() got an unexpected keyword argument 'dtype'",
    "the step took float16 seconds, must be on cuda and cpu",
    "RuntimeError: FP8 kernel: tensor dims must be divisible by 16",
    "ValueError: torch.float8_e4m3fn tensors must have a contiguous layout",
    "ValueError: MXFP8 quantization requires a group size of 32",
    "Error: dtype mismatch in matmul, lhs: BF16, rhs: F32",
    "TypeError: conversion from numpy.float32 to Decimal is not supported",
    "Error: unsupported dtype BF16 for op conv1d",
    "TypeError: Unsupported data type float16 for parquet",
    "ValueError: Unsupported dtype int64 in the header",
    "TypeError: sparse matrix dtype float16 not supported",
    "gymnasium: AssertionError: obs dtype float64 does not match space dtype float32",
    "optax: TypeError: updates dtype bfloat16 does not match params dtype float32",
    "duckdb.ConversionException: Type DOUBLE with value 1e300 can't be cast to FLOAT",
    "HLSL error X3017: cannot convert from 'float3x3' to 'half'",
    "wgpu error: f16 is not supported by this adapter",
    "rasterio.errors.RasterioIOError: invalid dtype: 'float16'",
    "WARNING:root:Your GPU supports bf16, set --bf16 to train faster",
    "XlaRuntimeError: INTERNAL: Mosaic failed to compile: Unsupported layout change for 'vector<8xi8>'",
    "cudf/core/column.py:12, in check(arg)\nTypeError: Unsupported type float16",
    "an MLX array as a NumPy one\nRuntimeError: Item size 2 for PEP 3118 buffer format B does not match the dtype B",
    "Error: unexpected dtype, expected: F32, got: F16",
    "thread 'main' panicked at cube/src/gemm: unsupported dtype F16",
    "ComputeError: the expression failed: invalid series dtype: expected `Float64`, got `f32`",
    "MetadataError: dtype mismatch: expected <f4, got <f8",
    "ValueError: Unknown dtype policy: mixed_half",
    "TypeError: dot_general requires arguments to have the same dtypes, got bfloat16, float32",
    "TypeError: Invalid shape (3, 64, 64) for image data, dtype float32",
    "epoch 3 train_loss: 0.2 val_loss: nan",
    "    loss = nanmean(losses)",
    "Step 500: train loss 2.31, val loss nan",
    "To avoid NaN losses in fp16, use bf16",
    "no NaN losses so far",
    "found 0 nan values in loss",
    "mAP: nan loss_bbox: 0.1",
    "{'eval_loss': nan, 'epoch': 1.0}",
    "  check_for_nan_in_loss_and_grad .................. True",
    "ERROR:tensorflow:Model diverged with loss = NaN.",
    "loss: nan - accuracy: 0.0980 - 3s/epoch",
    "AssertionError: (head_dim, head_dim_v)=(96, 80) is not supported on SM90. head_dim must be divisible by 8",
    "NotImplementedError: activation_type silu is not supported by the Rubin (SM107) grouped GEMM kernel yet",
    "RuntimeError: Runtime is already initialized. Do not use the XLA device before calling spawn.",
    "ValueError: layer does not support `device_map='cuda:0'`. The class needs `_no_split_modules`.",
    "ValueError: Qwen supports CUDA graphs only; backend must be 'cuda' or 'cute-dsl', got 'triton'",
    "RuntimeError: offloading is not available: the torch build requires CUDA 12.9",
    "FileNotFoundError: the kernel's CUDA sources were not found in torch's folder",
    "WARNING `fork` method is not supported by ROCm. It is overridden to `spawn` instead.",
    "No compatible GPU card for macOS was found!",
    "src/blas_kernels.cu : line: 121\nCUDA Error: no kernel image is available for execution on the device: No error",
    "what(): cudaGetDeviceCount(&n): no CUDA-capable device is detected core/src/Cuda/Kokkos_Cuda_Instance.cpp:552",
    "ERROR: CUDA error: no CUDA-capable device is detected (code 100)\n [1] throw_api_error(res::CUDA.cudaError_enum)",
    "thread #0 failed with error <RandomX::hash>:37 no kernel image is available for execution on the device",
]


@sweep(("text", "category", "dtypes"), SAID, ids=[text[:60] for text, _, _ in SAID])
def test_ordinary_words_are_read(text, category, dtypes):
    [found] = explained(text)
    assert found.category == category
    assert dtypes <= {operand.dtype for operand in found.operands}


@sweep("text", ORDINARY, ids=lambda value: value[:50])
def test_other_errors_in_such_words_are_not_claimed(text):
    assert not explained(text)


def test_a_sentence_matches_whole_words():
    words = spoken("RuntimeError: the position of cuda:0 and cpu")
    assert words is not None
    assert Sentence("on {a:place}").match(words) is None
    assert Sentence("of {a:place} and {b:place}").match(words) is not None


def test_tensors_that_fit_no_signature():
    got = "f received an invalid combination of arguments - got (int, torch.LongTensor), but expected "
    assert {name: value.dtype for name, value in misfits(f"{got}(int state, torch.FloatTensor target)").items()} == {
        "target": "int64",
        "expected": "float32",
    }
    assert misfits(f"{got}(int state)") == {}
    assert misfits(f"{got}(int state, torch.LongTensor target)") == {}


def test_old_signatures_tell_a_device_mismatch():
    [found] = explained(
        "TypeError: torch.addmm received an invalid combination of arguments - got (torch.cuda.FloatTensor, int, "
        "torch.cuda.FloatTensor, torch.FloatTensor), but expected one of:\n * (torch.cuda.FloatTensor source, "
        "int beta, torch.cuda.FloatTensor mat1, torch.cuda.FloatTensor mat2)"
    )
    assert (found.category, found.op) == ("device-mismatch", "linear")


def test_dtypes_that_an_op_takes_are_no_mix():
    message = "RuntimeError: the kernel expects float16, bfloat16 or float32, but got float64"
    [finding] = explained(message)
    assert finding.message == "an op takes float16 or bfloat16 or float32, and was given float64"
    assert [one.name for one in finding.operands] == ["expected", "or", "also", "found"]
    [mix] = explained("RuntimeError: expected scalar type Half but found Float")
    assert mix.message.endswith("mixes float16 `expected` with float32 `found`")
