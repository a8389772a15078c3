"""Kinds of wording that were once missed, or claimed of another world, each in messages made up here."""

from __future__ import annotations

import pytest

from miscast.explanation import explained
from sweep import sweep

TOLD = {
    "AssertionError('initial value for `s` is of type <[8], fp32>, but the else block redefines it as <[8], bf16>')":
        ("dtype-mismatch", "Triton kernel"),
    "AssertionError: Mismatched type for acc between then block (<['32'], fp16>) and else block (<['32'], fp32>)":
        ("dtype-mismatch", "Triton kernel"),
    "compiling fails with `KeyError: (triton.language.float16)`": ("unsupported-dtype", "Triton kernel"),
    '  File "/app/q.py", line 8, in scale\n    assert torch.isnan(scales).any() == False\nAssertionError':
        ("overflow-nan", "NaN check"),
    '  File "/app/q.py", line 8, in scale\n    assert torch.all(torch.isfinite(logits)), "step"\nAssertionError: step':
        ("overflow-nan", "NaN check"),
    "    assert x.dtype == w.dtype, (\n           ^^^^^^^\nAssertionError: torch.float16 == torch.float32":
        ("dtype-mismatch", None),
    "AssertionError: (torch.float32, torch.bfloat16)": ("dtype-mismatch", None),
    "TVMError: Data types float32 and float16 must be equal for binary operators": ("dtype-mismatch", None),
    "InternalError: Check failed: (x.dtype() == y.dtype()) is false: mismatched types. float32 vs. float16":
        ("dtype-mismatch", None),
    "Check failed: type == expected_type : Attempted to access buffer A as element type float32x4 using an index of "
    "size 4 when the element type is float16": ("dtype-mismatch", None),
    'RuntimeError: Attempted to set the storage of a tensor on device "cuda:1" to a storage on different device "cpu".':
        ("device-mismatch", "Tensor.set_"),
    "ValueError: only GPU tensors are accepted by this rope kernel": ("device-mismatch", None),
    "OnnxRuntimeException: [ErrorCode:Invalid] Tensor element data type discovered: Int32 metadata expected: Float":
        ("dtype-mismatch", None),
    "RuntimeError: token positions must be of type long": ("dtype-mismatch", None),
    "ValueError: the projection is on cuda:1, expected cuda:0": ("device-mismatch", None),
    "RuntimeError: the packed weight's type is not kInt": ("dtype-mismatch", None),
    "bfloat16 is not supported by this torch. Please use float32 for the decoder, or another device that has it, as in "
    "the table of the manual, where each device stands beside its dtypes.": ("unsupported-dtype", None),
    "ValueError: No MXFP4 backend supports the current GPU": ("unsupported-dtype", None),
    "RuntimeError: cannot find a kernel for the float8_e4m3fn experts": ("unsupported-dtype", None),
    "RuntimeError: decode.cpp:12 : tensor type not supported: CPUUInt32Type": ("unsupported-dtype", None),
    "--> 17     assert all((i.dtype in [torch.float16] for i in (q, k)))\n     18     n = 1\n\nAssertionError: ":
        ("dtype-mismatch", None),
    "[warning] The compute type inferred from the saved model is float16, but the target device or backend do not "
    "support it; the weights were converted.": ("unsupported-dtype", "model load"),
    "RuntimeError: MPS: cumsum op with int64 input is supported natively starting from macOS 13.3":
        ("unsupported-dtype", "cumsum"),
    "Epoch 3:  71%|#####  | 58/82 [04:01<01:39, 2.37it/s, v_num=0, train_loss_step=nan.0]": ("overflow-nan", "loss"),
    "invalid value encountered in cast images = (images * 255).round()": ("overflow-nan", None),
    "NotImplementedError: AffineQuantizedTensor dispatch: attempting to run unimplemented operator/function: "
    "aten.cat.default":
        ("unsupported-dtype", "cat"),
    "Type Error: Type (tensor(int64)) of output arg (8) of node (Squeeze_7) does not match expected type "
    "(tensor(int32)).":
        ("dtype-mismatch", "squeeze"),
    "Warning: ONNX Scalar Type Analysis - Scalar types mismatch for tensor inputs of operator onnx::Mul. Please "
    "report a bug to PyTorch. The scalar type Float of the first tensor is chosen.": ("dtype-mismatch", "mul"),
    "This is an invalid model. Type Error: Type 'tensor(float16)' of input parameter (x) of operator (aten_elu) in "
    "node (aten_elu_0) is invalid.": ("dtype-mismatch", "elu"),
    "RuntimeError: MKL FFT doesn't support tensors of type: BFloat16": ("unsupported-dtype", "fft"),
    'It says "Cannot convert a MPS Tensor to float64" when the metrics are computed': ("unsupported-dtype", ".to(mps)"),
    "AssertionError: fp16 mode is only supported with stage 2": ("precision-config", "DeepSpeed config"),
    '  File "/app/ops.py", line 8, in spspmm\n    out = torch.ops.torch_sparse.spspmm_sum(\n'
    "RuntimeError: Not implemented for 'Long'": ("unsupported-dtype", "spspmm_sum"),
    "EZ9999: Op Cast does not has any binary.": ("unsupported-dtype", "to"),
    "RuntimeError: smooth_labels' dtype is float rather than Long": ("dtype-mismatch", None),
    "Exception in device=TPU:1: torch_xla/tensor.cpp:8 : Check failed: shapes differ\nf32[64]{0} vs. s64[64]{0}":
        ("dtype-mismatch", None),
    "RuntimeError: failed to find the shader view_convert_buffer_int32_uint8":
        ("unsupported-dtype", "cast"),
    "RuntimeError: fp8_scaled_gemm only supports sm90 and newer": ("unsupported-dtype", "matmul"),
    "et_metal.mm:246] Failed to compile shader library: 3:9: assigning to 'bfloat' from incompatible type 'float'":
        ("dtype-mismatch", None),
    "RuntimeError: the kernel requires the same type for both operands": ("dtype-mismatch", None),
    "error: argument --kv-cache-dtype: invalid choice: 'int6' (choose from 'auto', 'fp8')": ("precision-config", None),
    "UserWarning: this bitsandbytes was compiled without GPU support": ("unsupported-device", None),
    "AssertionError: Torch not compiled with XPU enabled": ("unsupported-device", ".to(device)"),
    "RuntimeError: PyTorch is not linked with support for xpu devices": ("unsupported-device", None),
    "RuntimeError: No HIP GPUs are available": ("unsupported-device", None),
    "NotImplementedError: Could not run 'torchvision::roi_align' with arguments from the 'CUDA' backend.":
        ("unsupported-device", "roi_align"),
    "RuntimeError: Not compiled with CUDA support": ("unsupported-device", None),
    "RuntimeError: SparseConv is not compiled with GPU support": ("unsupported-device", None),
    "AssertionError: this node has no CUDA devices!": ("unsupported-device", None),
    "[Bug]: RuntimeError: Found no NVIDIA driver": ("unsupported-device", None),
    '  File "/app/run.py", line 9, in main\n    assert(torch.cuda.is_available())\nAssertionError':
        ("unsupported-device", None),
    "NVIDIA GeForce RTX 5060 with CUDA capability sm_120 is not compatible with the current PyTorch installation.":
        ("unsupported-device", None),
    "EZ3002: [Dynamic shape check]: data type DT_BFLOAT16 of input [x] is not supported.": ("unsupported-dtype", None),
    "The adapter is loaded with dtype torch.bfloat16, which vLLM does not support.": ("unsupported-dtype", None),
    "it says exceptted device cuda:2 but got device cuda:0": ("device-mismatch", None),
    "    return torch._C._nn.binary_cross_entropy(\nRuntimeError: Found dtype Long but expected Float":
        ("dtype-mismatch", "binary_cross_entropy"),
    "Could not run 'torchvision::deform_conv2d' with arguments from the 'CUDA' backend. This could be because":
        ("unsupported-device", "deform_conv"),
    "Conversion to f8e5m2 is only supported on compute capability >= 89": ("unsupported-dtype", "Triton kernel"),
    "error: op operand type mismatch: expected operand type '!torch.float', but provided '!torch.int' "
    "{callee = @__torch_mlir_shape_fn.aten.full}": ("dtype-mismatch", "full"),
    "HIP error: Invalid device function\nHIP kernel errors might be asynchronously reported":
        ("unsupported-device", None),
    "ggml_cuda_compute_forward: SCALE failed, ROCm error: invalid device function": ("unsupported-device", None),
    "训练到一半 loss 变为 nan": ("overflow-nan", None),
    "RuntimeError: CUDA error: invalid device ordinal": ("unsupported-device", None),
    "RuntimeError: no usable GPU was found": ("unsupported-device", None),
    "RuntimeError: cuda runtime error (35) : CUDA driver version is insufficient for CUDA runtime version at THC.cpp":
        ("unsupported-device", None),
    "UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment":
        ("unsupported-device", None),
    "OSError: libcuda.so.1: cannot open shared object file: No such file or directory": ("unsupported-device", None),
    "AttributeError: module 'torch._C' has no attribute '_cuda_getCurrentRawStream'": ("unsupported-device", None),
    "RuntimeError: Expected one of cpu, cuda, ipu, xla, lazy, meta, hpu device type at start of device string: npu":
        ("unsupported-device", "torch.device"),
    "RuntimeError: don't know how to restore data location of torch.FloatStorage (tagged with gpu)":
        ("unsupported-device", "torch.load"),
    "lightning.MisconfigurationException: `MPSAccelerator` can not run on your system since the accelerator is missing":
        ("unsupported-device", None),
    "ggml_cuda_init: failed to initialize ROCm: no ROCm-capable device is detected": ("unsupported-device", None),
    "[W:onnxruntime:Default, x.cc:515] Failed to create TensorrtExecutionProvider.": ("unsupported-device", None),
    "AttributeError: /env/libbitsandbytes_cpu.so: undefined symbol: cget_col_row_stats":
        ("unsupported-device", "bitsandbytes"),
    "nvcc fatal   : Unsupported gpu architecture 'compute_90a'": ("unsupported-device", None),
    "AssertionError: FlashMLA requires Hopper": ("unsupported-device", None),
    "ValueError: this kernel needs a GPU of compute capability 8.0": ("unsupported-device", None),
    "Device compute capability 8.9 or higher required for FP8 execution.": ("unsupported-dtype", None),
    "RuntimeError: HIP error: no ROCm-capable device is detected": ("unsupported-device", None),
    "RuntimeError: Can't find any Gaudi devices": ("unsupported-device", None),
    "RuntimeError: torch.cuda.is_available() should be True but is False. xformers' attention is for GPU":
        ("unsupported-device", "memory_efficient_attention"),
    '  File "/app/dw.py", line 46, in backward\n    grads = DW_CUDA.conv_depthwise3d_backward_cuda(\n'
    "RuntimeError: expected scalar type Half but found Float": ("dtype-mismatch", "conv3d"),
}  # fmt: skip
NOT_TOLD = (
    "AssertionError('initial value for `s` is of type <[64], fp32>, but the else block redefines it as <[128], fp32>')",
    "AssertionError: (torch.float32, torch.float32)",
    "    assert torch.isnan(padded).any()\nAssertionError",
    "    assert np.isfinite(x).all()\nAssertionError",
    "numpy.exceptions.DTypePromotionError: The DTypes Float32DType and bfloat16 do not have a common DType.",
    "Sources/App/View.swift:40: Fatal error: value of data type Float16 is not supported.",
    "TypeError: list indices must be of type int, not str",
    "ValueError: only CPU hours are accepted here",
    "ValueError: the shop is on Main Street, expected Broadway",
    "--> 17     assert all((i.dtype in [torch.float16] for i in (q, k)))\n     18     n = 1\n\nAssertionError: no rows",
    "--> 17     assert q.shape == k.shape\n     18     dtype = q.dtype\n\nAssertionError: ",
    "ValueError: the answer's type is not kInteresting",
    "Nothing here is about numbers. The manual says that bfloat16 is not supported by torch.",
    "ERROR: MethodError: no method matching CuArray{Float32}, unsupported call on Float64",
    "RuntimeError: [Gather::eval_cpu] Does not support int16",
    "E [tflite2onnx][graph.py:45] Data type int8 not supported/tested yet",
    "Error in torch_tensor_cpp(data, dtype, device) : \n  R type not handled",
    "I guess the tensor kernel only accepts int32 scalar types, could you see?",
    "package foo is not compatible with the current PyTorch installation",
    "GROMACS was compiled without GPU support",
    "ERROR: darknet not compiled with GPU support",
    "numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: no CUDA-capable device is detected",
    "RuntimeError: unable to locate function load_int8_config in the plugin",
    "RuntimeError: cpu not found in cgroup",
    "RuntimeError: torch requires cpu to work with shared memory",
    "ValueError: the shop has no cpu card",
    "tensorflow: Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file",
    "F0825 common.cpp:142] Check failed: error == cudaSuccess (35 vs. 0)  CUDA driver version is insufficient",
    "cupy.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version",
    "RuntimeError: Detected that PyTorch and torchaudio were compiled with different CUDA versions",
    "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
    "ValueError: this shop requires a card",
    "RuntimeError: Unable to initialize backend 'tpu': UNKNOWN: TPU initialization failed: jax found none",
    "XGBoostError: XGBoost version not compiled with GPU support",
    "OpenCV(4.5) error: No CUDA support: The library is compiled without CUDA support",
    "paddle was not compiled with CUDA, no kernel image is available for execution on the device",
    "ImportError: undefined symbol: flash_fwd_hdim128_bf16_sm80",
    "RuntimeError: failed to load model_fp16.safetensors",
    "train.py: error: unrecognized arguments: --fp16",
    "TypeError: TensorArray dtype is float but Op is trying to write dtype half. [[node enc/Write]]",
)


@sweep("text", TOLD)
def test_what_it_is_and_of_which_op(text):
    [finding] = explained(text)
    rule, op = TOLD[text]
    assert finding.rule == rule
    assert op in (None, finding.op)


@sweep("text", NOT_TOLD)
def test_what_only_reads_like_it_is_left_alone(text):
    assert not explained(text).findings


@sweep(
    ("text", "cause"),
    [
        ("    assert torch.isfinite(h).all()\nAssertionError", "activations-overflowed"),
        ("RuntimeError: the kv_cache must be uint8", "bytes-expected"),
        ("ValueError: the image tensor must be uint8", "kernel-accepts-one-dtype"),
        ("AssertionError: FP8 GEMM requires Hopper and CUDA >= 12.9", "gpu-lacks-narrow-format"),
        ("RuntimeError: this GPU does not support BF16", "hardware-lacks-dtype"),
        (
            "TypeError: Trying to convert ComplexFloat to the MPS backend but it does not have support for that dtype.",
            "backend-lacks-complex",
        ),
        ("step 3 loss scale 16384.0\nstep 4 loss: nan", "half-range-exceeded"),
        ("TypeError: Cannot handle this data type: (1, 1, 3), <f4", "library-refuses-dtype"),
        ("RuntimeError: scatter(): Expected dtype int64 for index", "index-not-int64"),
        ("ValueError: fp16 mixed precision requires a GPU (not 'mps').", "scaled-training-elsewhere"),
        ("ValueError: fp16 mixed precision requires a GPU (not 'cpu').", "cpu-only-build"),
        ("ValueError: fp16 mixed precision requires a GPU", "cpu-only-build"),
        ("ValueError: fp8 quantization is currently not supported in ROCm.", "engine-lacks-quantization"),
        ("AssertionError: bfloat16 mode is only enabled for Zero 1,2,3 currently. got 0", "stage-lacks-precision"),
        ("AssertionError: Torch not compiled with CUDA enabled", "build-without-device"),
        ("RuntimeError: No CUDA GPUs are available", "no-such-device"),
        (
            "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.",
            "saved-on-gpu",
        ),
        (
            "RuntimeError: Attempting to deserialize object on CUDA device 2 but torch.cuda.device_count() is 1.",
            "saved-on-gpu",
        ),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "gpu-newer-or-older"),
        ("RuntimeError: nms_impl: implementation for device cuda:0 not found.", "extension-without-device"),
        ("RuntimeError: CUDA error: invalid device ordinal", "fewer-devices"),
        ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040)", "driver-older-than-build"),
        ("Unexpected error from cudaGetDeviceCount(). Error 802: not yet initialized", "driver-out-of-step"),
        ("ImportError: libcuda.so.1: cannot open shared object file", "driver-library-missing"),
        (
            "MatMul8bitLt: inputs will be cast from torch.bfloat16 to float16 during quantization",
            "int8-product-in-float16",
        ),
        (
            ("    C = torch._scaled_mm(A, B, scale, scale)\n"
            "RuntimeError: \"_tunable_scaled_gemm\" not implemented for 'Float8_e4m3fn'"),
            "float8-of-amd",
        ),
        (
            ("ValueError: Expected parameter probs (Tensor of shape (2, 2)) of distribution Categorical(probs: "
            "torch.Size([2, 2])) to satisfy the constraint Simplex(), but found invalid values:\n"
            "tensor([[0.1680, 0.1660],\n        [0.1670, 0.1650]], dtype=torch.bfloat16)"),
            "probabilities-in-half",
        ),
        (
            ('Traceback (most recent call last):\n  File "/app/train.py", line 9, in main\n    optimizer.step()\n'
            '  File "/lib/python3.11/site-packages/torch/optim/adam.py", line 390, in _single_tensor_adam\n'
            "    exp_avg.lerp_(grad, 1 - device_beta1)\nRuntimeError: Expected all tensors to be on the same device, "
            "but found at least two devices, cpu and cuda:0!"),
            "optimizer-state-elsewhere",
        ),
        ("RuntimeError: [enforce fail] op.preamble.length <= op.nbytes. 2048 vs 1024.", "mixed-parameters-gathered"),
        ("RuntimeError: CUDA Setup failed despite GPU being available", "bitsandbytes-on-cpu"),
        ("don't know how to restore data location of Storage (tagged with npu:0)", "saved-on-other-device"),
    ],
)  # fmt: skip
def test_the_first_cause_is_of_its_kind(text, cause):
    [finding] = explained(text)
    assert finding.causes[0].name == cause


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        (
            "RuntimeError: Error while lowering: f32[2,2]{1,0} xla::cast, type=f32, dtype=Float, stype=Half",
            "this processor does not support float16",
        ),
        (
            "EZ1001: Tensor q not implemented for DT_FLOAT16, should be in dtype support list [DT_BFLOAT16].",
            "the npu backend does not support float16",
        ),
        ("AssertionError: MXFP8 matmul requires Blackwell GPUs", "the format needs a newer GPU"),
    ],
)  # fmt: skip
def test_what_is_lacking_is_named_as_the_message_has_it(text, lacks):
    [finding] = explained(text)
    assert finding.causes[0].text.startswith(lacks)
    assert "NumPy" not in finding.causes[0].text
    assert "older than Ampere" not in " ".join(fix.title for fix in finding.fixes)


@sweep(
    ("code", "op"),
    [
        ("hit = predicted == labels", "eq"), ("hit = predicted != labels", "ne"), ("y = x ** rate", "pow"),
        ("row = ids // width", "floor_divide"), ("a ^= seen", "bitwise_xor"), ("code <<= n", "bitwise_left_shift"),
        ("y = x ** 2 + z", "add"), ("y = x if step == 1 else x * w", "mul"), ("y = x * w + b", "elementwise"),
        ("same = name == 'a' and x + y", "elementwise"),
        ("y = add(x, w)", "add"), ("order = sort(x)", "sort"),
    ],
)  # fmt: skip
def test_the_only_operator_between_tensors_is_the_op(code, op):
    frame = f'Traceback (most recent call last):\n  File "/app/m.py", line 3, in f\n    {code}\n'
    said = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu"
    [finding] = explained(frame + said)
    assert finding.op == op


SIDES = {
    # torch names the device that it saw first, then that of the argument it checks
    "cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)": "input-left-on-cpu",
    "cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)": "model-left-on-cpu",
    "cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_mm)": "model-left-on-cpu",
    "cuda:0 and cpu! (when checking argument for argument index in method wrapper_CUDA__index_select)": (
        "input-left-on-cpu"
    ),
    "cpu and cuda:0! (when checking argument for argument index in method wrapper_CUDA__index_select)": (
        "model-left-on-cpu"
    ),
    "cpu and cuda:0! (when checking argument for argument weight in method wrapper_CUDA__cudnn_convolution)": (
        "input-left-on-cpu"
    ),
}


@pytest.mark.parametrize("devices", SIDES)
def test_which_side_was_left_on_the_cpu(devices):
    [found] = explained(
        f"RuntimeError: Expected all tensors to be on the same device, but found at least two devices, {devices}"
    )
    assert found.causes[0].name == SIDES[devices]
