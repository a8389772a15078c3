"""Which op a kernel's name, a wrapper's name and the innermost frames tell; torch itself is asked where it can be."""

from __future__ import annotations

import inspect

import pytest

from miscast.core.ops import NAMES
from miscast.explanation import explained
from miscast.explanation.naming import op_in_words
from miscast.explanation.operation import kernel, named
from sweep import sweep

KERNELS = {
    "max_all_cuda": ("max", "cuda"),
    "mul_cpu_reduced_float": ("mul", "cpu"),
    "clamp_min_scalar_cpu": ("clamp", "cpu"),
    "nll_loss_forward_reduce_cuda_kernel_2d_index": ("nll_loss", "cuda"),
    "compute_indices_weights_nearest": ("interpolate", None),
    "upsample_bicubic2d_out_frame": ("interpolate", None),
    "RowwiseMomentsImpl": ("group_norm", None),
    "LayerNormKernelImpl": ("layer_norm", None),
    "GeluCUDAKernelImpl": ("gelu", "cuda"),
    "slow_conv2d_cpu": ("conv2d", "cpu"),
    "addmm_impl_cpu_": ("linear", "cpu"),
    "scatter_gather_base_kernel_func": ("scatter", None),
    "im2col_xpu": ("unfold", "xpu"),
    "triu_tril_cuda_template": ("triu", "cuda"),
    "ROIAlign_forward": ("roi_align", None),
    "host_softmax": ("softmax", "cuda"),
    "compute_index_ranges_weights": ("interpolate", "cpu"),
    "ADAPTIVE_AVG_POOL3D": ("adaptive_avg_pool3d", None),
    "PReLU": ("prelu", None),
    "ufunc_add_CUDA": ("add", "cuda"),
    "std.correction": ("std", None),
    "LayerNormalization": ("layer_norm", None),
    "_C::marlin_gemm": ("marlin_gemm", None),
    "something_of_theirs": ("something_of_theirs", None),
}
FRAMES = {
    'File "torch/nn/functional.py", line 2543, in layer_norm': "layer_norm",
    'File "torch/nn/modules/normalization.py", line 313, in forward': "group_norm",
    'File "torch/nn/modules/normalization.py", line 201, in forward': "layer_norm",
    'File "torch/nn/modules/sparse.py", line 190, in forward': "embedding",
    'File "torch/optim/adamw.py", line 616, in _fused_adamw': "optimizer.step",
    'File "prodigyplus/core_optimiser.py", line 570, in step': "optimizer.step",
    'File "torch/_decomp/decompositions.py", line 1431, in addmm\n'
    '  File "torch/_refs/__init__.py", line 1091, in add\n'
    '  File "torch/_prims_common/__init__.py", line 740, in check_same_device': "linear",
    'File "torch/tensor.py", line 325, in __rsub__': "sub",
    'File "torch/functional.py", line 385, in einsum': "einsum",
    'File "torchvision/ops/boxes.py", line 31, in nms': "nms",
    'File "torch/nn/init.py", line 208, in trunc_normal_': "trunc_normal_",
    'File "torch/nn/utils/clip_grad.py", line 82, in clip_grad_norm_': "clip_grad_norm_",
    'File "torch/nn/init.py", line 518, in kaiming_uniform_': "kaiming_uniform_",
    'File "torch/_tensor.py", line 1194, in __array__': "Tensor.numpy()",
    'File "torch/utils/data/sampler.py", line 166, in __iter__': "unbind",
    'File "train.py", line 9, in cross_entropy': "cross_entropy",
    'File "train.py", line 9, in layer_norm_of_mine': "layer_norm",
    'File "train.py", line 9, in to_onehot': "scatter",
    'File "train.py", line 9, in step\n    p.numpy()': "Tensor.numpy()",
}


@sweep("name", KERNELS)
def test_a_kernel_names_its_op(name):
    assert kernel(name) == KERNELS[name]


@sweep("frames", FRAMES)
def test_the_innermost_frames_name_the_op(frames):
    message = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    [found] = explained(f"Traceback (most recent call last):\n  {frames}\nRuntimeError: {message}\n")
    assert found.op == FRAMES[frames]
    assert not found.guessed


def test_the_longest_word_near_the_error_tells_most():
    [found] = explained(
        "Traceback (most recent call last):\n"
        '  File "apex/normalization/fused_layer_norm.py", line 215, in fused_rms_norm_affine\n'
        '  File "apex/normalization/fused_layer_norm.py", line 75, in forward\n'
        "RuntimeError: expected scalar type Half but found BFloat16\n"
    )
    assert found.op == "fused_rms_norm"
    assert found.guessed


SHOWN = {
    # a kernel that several functions share: the one that the code calls
    '  File "draw.py", line 3, in draw\n    torch.rand((3,), dtype=torch.int32)\n'
    "RuntimeError: \"check_uniform_bounds\" not implemented for 'Int'": "rand",
    # the longer name, in the frame
    '  File "graph.py", line 7, in degree\n    return new.scatter_add_(0, index, weight)\n'
    "RuntimeError: scatter(): Expected dtype int64 for index": "scatter_add",
    # C++ tells of what the backward pass was
    '  File "step.py", line 4, in step\n    loss.backward()\n'
    "RuntimeError: expected dtype Double but got dtype Float\n"
    "frame #1: at::TensorIterator::build() + 0x44 (0x7f1 in libtorch_cpu.so)\n"
    "frame #2: at::native::smooth_l1_loss_backward_out(at::Tensor&, at::Tensor const&) + 0x1 (0x7f1)": "smooth_l1_loss",
    # pytest's last line of code is no call
    "        out = (\n            torch.matmul(x, self.weight)\n        )\n"
    "E       RuntimeError: expected mat1 and mat2 to have the same dtype, but got: double != float": "matmul",
    "CUDA kernel failed : no kernel image is available for execution on the device\n"
    "void ball_query_kernel_wrapper(int b, int n, int m, const float *xyz) in ball_query_gpu.cu": "ball_query",
    "CompilationError: at 1:0:\ndef triton_poi_fused__to_copy_3(in_ptr0, out_ptr0, xnumel):\n"
    'ValueError("type fp8e4nv not supported in this architecture. The supported fp8 dtypes are (\'fp8e5\')")': "to",
}


@sweep("log", SHOWN)
def test_what_stands_beside_a_message_names_the_op(log):
    [found] = explained(log)
    assert named(found.op).rstrip("_") == SHOWN[log]


MODULES = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d", "LayerNorm", "GroupNorm", "RMSNorm"]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_of_a_shared_file_is_told_by_its_line(module):
    torch = pytest.importorskip("torch")
    if not (2, 6) <= tuple(map(int, torch.__version__.split(".")[:2])) <= (2, 15):
        pytest.skip("the lines are those of torch 1.8 to 2.15")
    kind = getattr(torch.nn, module)
    method = kind._conv_forward if hasattr(kind, "_conv_forward") and "_conv_forward" in vars(kind) else kind.forward
    lines, first = inspect.getsourcelines(method)
    file = inspect.getsourcefile(kind).replace("\\", "/").rpartition("/torch/")[2]
    [found] = explained(
        'Traceback (most recent call last):\n  File "torch/nn/modules/module.py", line 1747, in _call_impl\n'
        f'  File "torch/{file}", line {first + len(lines) - 1}, in {method.__name__}\n'
        "RuntimeError: expected scalar type Half but found Float\n"
    )
    assert found.op.replace("_", "") == module.lower()


def test_a_wrapper_names_its_op_whatever_the_overload():
    torch = pytest.importorskip("torch")
    schemas = {(s.name.partition("::")[2], s.overload_name) for s in torch._C._jit_get_all_schemas()}
    public = [(op, overload) for op, overload in schemas if op in NAMES]
    public = [one for one in public if one[0] != "scatter" or "reduce" not in one[1]]  # reads as scatter_reduce
    newer = [(f"wrapper_CUDA_{overload}_{op}", op) for op, overload in public if overload]  # torch 2, torchgen
    older = [(f"wrapper_{op}_{overload}", op) for op, overload in public if overload]
    wrong = [(wrapper, named(wrapper)) for wrapper, op in (*newer, *older) if named(wrapper) != named(op)]
    assert len(public) > 1000
    assert wrong == []


def test_fake_tensors_of_one_dtype_are_not_claimed():
    listed = "FakeTensor(..., size=(4, 4)), FakeTensor(..., size=(4, 4)"
    text = f"TorchRuntimeError: Failed running call_method lerp_(*({listed}"
    assert not explained(f"{text})), **{{}}):")
    [found] = explained(f"{text}, dtype=torch.bfloat16)), **{{}}):")
    assert [operand.dtype for operand in found.operands] == ["float32", "bfloat16"]
    assert not explained(f"{text}, dtype=torch.bfloat16)), **{{}}):\nThe size of tensor a (4) must match b (8)")


FORMS = {
    "error: 'mps.multiply' op requires the same element type for all operands": "mul",
    'loc("mps_multiply"("(mpsFileLoc): /AppleInternal/MPSGraph/mpsgraph/MPSGraphUtilities.mm":228:0)): error: …': "mul",
    "call aclnnCast failed, detail:EZ1001": "to",
    "precisions in %convolution.5 and its operand": "conv2d",
    "rewriting is not implemented: %sort.12 = (s64[8]{0}) sort(s64[8]{0} %add.3)": "sort",
    "KernelCall failed at instruction 0:0 in operator aten::tanh.out: 0x12": "tanh",
    "RuntimeError: torch.embedding: Trying to convert BFloat16 to the MPS backend": "embedding",
    "RuntimeError: torch.bucketize(): boundaries and input value tensors should have same device type": "bucketize",
    "(when checking argument for argument boundaries in method wrapper_CUDA_Tensor_bucketize)": "bucketize",
    "RuntimeError: Tried to instantiate dummy base class Stream": "stream",
    "[TRT] [E] Cast_35: cannot use precision Int32 for layer that computes boolean values": "to",
    "The operator 'aten::erfinv.Tensor' is not there and will fall back to run on the CPU": "erfinv",
    "execute failure: MALFORMED INPUT: bad dtype in CompareSelect": "compare_select",
    "Argument element types do not match (input arg element type: i64, arg_pad element type: f32)": "pad",
    "found at least two devices, cpu and cuda:0 (when checking arugment mat1 in method wrapper_addmm": "linear",
    'loc("varianceEps"("(mpsFileLoc): /AppleInternal/MPSGraphUtilities.mm":228:0)): error: input types': "layer_norm",
    "AttributeError: 'NoneType' object has no attribute 'cquantize_blockwise_fp16_nf4'": "quantize_blockwise",
    "RuntimeError: Prefill::BeginForward(at::Tensor, unsigned int)::<lambda()> failed to dispatch": "BeginForward",
    "IBuilder::buildSerializedNetwork: Error Code 3: API Usage Error": "build_serialized_network",
    "RuntimeError: CUDA error: invalid device function ROIAlign_forward_cuda": "roi_align",
    "Expected elements.dtype() == test_elements.dtype() to be true, but got false.": "isin",
    "indices must be int64, byte or bool. Got [torch.float32]": "index",
    "error: failed to legalize operation 'tfl.transpose' that was explicitly marked illegal": "transpose",
    "Status: the process exits, and the current working operator name is MaxPoolWithArgmax": "max_pool2d",
    "Non-zero status code. Name:'/encoder/layer.0/Gemm_12' Status Message: data types differ": "matmul",
    "[TRT] No non-int8 implementation of layer [CONVOLUTION #1]": "conv2d",
    "While executing %m : call_function[target=torch.ops.aten.bmm.default](args = (%a, %b))": "bmm",
    "LoweringException: AssertionError\n  target: aten.mm.default\n  args[0]": "matmul",
    "ERROR: CUDA kernel vec_dot_q4_impl has no device code compatible with CUDA arch 600": "vec_dot_q4",
    "-- Conversion is failed for: aten::cat, prim::ListConstruct": "cat",
    "DEBUG: Converting node scatter_3 (kind: aten.scatter.value, args": "scatter",
    "RuntimeError: Expected q_dtype == torch::kFloat16 to be true": "flash_attn",
    "at 1:0: def triton_poi_fused__to_copy_mul_0(in_ptr0):": "to",
    "Could not find an op": "",
}


@sweep("text", FORMS)
def test_an_op_is_read_in_the_form_of_a_compiler_or_a_runtime(text):
    assert op_in_words(text) == FORMS[text]


TRACE = "Traceback (most recent call last):\n  File"
NO_BACKEND = "RuntimeError: No backend type associated with device type cpu"
NO_DEVICE = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
POINTER = "ValueError: Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)"
NO_CODE = "RuntimeError: HIP error: invalid device function"
CONV = "RuntimeError: Input type (torch.cuda.DoubleTensor) and weight type (torch.cuda.FloatTensor) should be the same"
CUFFT = "RuntimeError: cuFFT only supports dimensions whose sizes are powers of two when computing in half precision"
BESIDE = {
    "RuntimeError: Device type XPU is not supported for torch.Generator() api.": "torch.Generator",
    "AssertionError: mat1 and mat2 of the head must be the same dtype, got torch.float16 and torch.float32": "linear",
    "RuntimeError: \"tunable_scaled_gemm\" not implemented for 'Half'": "scaled_mm",
    f'{TRACE} "train.py", line 3, in clip\n    dist.all_reduce(norm)\n{NO_BACKEND}': "all_reduce",
    f'{TRACE} "torch/functional.py", line 573, in stft\n    normalized, onesided)\n{CUFFT}': "stft",
    f'{TRACE} "vae.py", line 7, in run\n    z = encode(x * 2 - 1).mean * scale\n               ~~^~~\n{NO_CODE}': "mul",
    f'{TRACE} "top.py", line 7, in top\n    _top_kernel[(rows,)](\n'
    '  File "site-packages/triton/runtime/jit.py", line 370, in <lambda>\n'
    f"    return lambda *args, **kwargs: self.run(grid=grid, *args, **kwargs)\n{POINTER}": "_top_kernel",
    f'{TRACE} "run.py", line 7, in run\n    f = lambda *a: g(-x, *a)\nRuntimeError: {NO_DEVICE}': "elementwise",
    f'{TRACE} "lin.py", line 5, in forward\n    y = torch._int_mm(x, w).to(dtype) * scale\n'
    "RuntimeError: Unhandled FakeTensor Device Propagation for aten._int_mm.default, found two different devices "
    "cuda:0, cpu": "int_mm",
    # a library's own check: the function that checks, not what it compares
    f'{TRACE} "site-packages/triton/language/semantic.py", line 1355, in dot\n    assert_dtypes_valid(lhs, rhs)\n'
    '  File "site-packages/triton/language/semantic.py", line 1328, in assert_dtypes_valid\n'
    '    assert lhs_dtype == rhs_dtype, f"First input ({lhs_dtype}) and second input ({rhs_dtype})"\n'
    "AssertionError: First input (fp16) and second input (fp32) must have the same dtype!": "tl.dot",
    "    out = self.selective_scan(x)\nRuntimeError: Expected u.is_cuda() to be true, but got false.": "selective_scan",
    f'{TRACE} "conv.py", line 9, in run\n    out = multiply_add(x,\n'
    "RuntimeError: expected scalar type Long but found Float": "multiply_add",
    "❱  91 │   │   return self.weight * hidden\n"
    "│ /site-packages/torch/_prims_common/wrappers.py:220 in _fn │\n"
    "RuntimeError: Tensor on device cpu is not on the expected device meta!": "mul",
    f'{TRACE} "fuse.py", line 8, in fuse\n    w = torch.diag(w.div(torch.sqrt(eps + var)))\n'
    "RuntimeError: \"add_cpu/sub_cpu\" not implemented for 'Half'": "add",
    f'{TRACE} "sdf.py", line 9, in sdf\n    print(_C.external.mesh_to_sdf_cuda(p.cuda().contiguous(\n'
    "RuntimeError: expected scalar type Double but found Float": "mesh_to_sdf",
    # what Python marks is one call
    f'{TRACE} "args.py", line 9, in move\n    args = [a.to(device) if moves(a) else a for a in args]\n'
    "            ^^^^^^^^^^^^\nRuntimeError: Spyre backend does not support dtype BFloat16": "to",
    # a notebook of Python 3.7 points at the last line of a call
    "RuntimeError   Traceback (most recent call last)\n"
    "/site-packages/torch/nn/modules/conv.py in forward(self, input)\n"
    "    256         return F.conv1d(input, self.weight, self.bias, self.stride,\n"
    f"--> 257                         self.padding, self.dilation, self.groups)\n    258 \n\n{CONV}": "conv1d",
}


@sweep("text", BESIDE, ids=BESIDE.values())
def test_an_op_is_read_off_what_stands_beside_a_message(text):
    [found] = explained(text)
    assert found.op == BESIDE[text]
