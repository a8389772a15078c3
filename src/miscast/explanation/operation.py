"""One name per op, whatever a message or a kernel calls it.

>>> named("wrapper_CUDA_addmm"), named("_thnn_nll_loss_forward"), named("aten.mul.Tensor")
('linear', 'nll_loss', 'mul')
>>> kernel("LayerNormKernelImpl"), kernel("upsample_nearest2d_out_frame"), kernel("addmm_cuda")
(('layer_norm', None), ('interpolate', None), ('linear', 'cuda'))
"""

from __future__ import annotations

import re

from .opnames import NAMES, leading

_SAME = {
    "addmm": "linear",
    "addmm_": "linear",
    "addmm_impl_cpu_": "linear",
    "addmm_impl": "linear",
    "mm": "matmul",
    "mmbackward": "matmul",
    "addmmbackward": "linear",
    "linear_matrix": "linear",
    "s_addmm": "linear",
    "conv": "conv2d",
    "convolution": "conv2d",
    "cudnn_convolution": "conv2d",
    "_slow_conv2d": "conv2d",
    "slow_conv2d": "conv2d",
    "thnn_conv2d": "conv2d",
    "_convolution": "conv2d",
    "mkldnn_convolution": "conv2d",
    "conv_depthwise2d": "conv2d",
    "thnn_conv_depthwise2d": "conv2d",
    "conv2d_forward": "conv2d",
    "slow_conv3d": "conv3d",
    "conv_transpose2d": "conv_transpose2d",
    "slow_conv_transpose2d": "conv_transpose2d",
    "cudnn_batch_norm": "batch_norm",
    "native_batch_norm": "batch_norm",
    "batchnorm": "batch_norm",
    "native_layer_norm": "layer_norm",
    "layernorm": "layer_norm",
    "native_group_norm": "group_norm",
    "groupnorm": "group_norm",
    "index_select": "embedding",
    "index_select_cuda": "embedding",
    "embedding_dense": "embedding",
    "scaled_dot_product_attention": "sdpa",
    "nll_loss_nd": "nll_loss",
    "nll_loss2d": "nll_loss",
    "nllloss": "nll_loss",
    "nll_loss_reduce": "nll_loss",
    "cross_entropy_loss": "cross_entropy",
    "upsample_bilinear2d": "interpolate",
    "upsample_nearest2d": "interpolate",
    "upsample_nearest1d": "interpolate",
    "upsample_bicubic2d": "interpolate",
    "upsample_trilinear3d": "interpolate",
    "upsample_linear1d": "interpolate",
    "upsample_nearest3d": "interpolate",
    "upsample": "interpolate",
    "host_softmax": "softmax",
    "softmax_lastdim": "softmax",
    "vec_log_softmax_lastdim": "log_softmax",
    "vec_softmax": "softmax",
    "log_softmax_lastdim": "log_softmax",
    "_local_scalar_dense": "item",
    "masked_fill_impl": "masked_fill",
    "baddbmm_with_gemm": "baddbmm",
    "baddbmm": "baddbmm",
    "bmm_with_gemm": "bmm",
    "triu_tril": "triu",
    "cpublas_gemm": "matmul",
    "gemm": "matmul",
    "cpublas_axpy": "axpy",
    "clamp_scalar": "clamp",
    "clamp_min_scalar": "clamp",
    "normal": "normal_",
    "uniform": "uniform_",
    "bernoulli_tensor": "bernoulli",
    "bernoulli_scalar": "bernoulli",
    "fused_adam": "optimizer.step",
    "adam": "optimizer.step",
    "multi_tensor_adam": "optimizer.step",
    "multi_tensor_scale": "optimizer.step",
    "unfused_adam": "optimizer.step",
    "repeatinterleaveintwithdim": "repeat_interleave",
    "repeatinterleave": "repeat_interleave",
    "s_copy": "copy_",
    "compute_indices_weights_nearest": "interpolate",
    "compute_indices_weights_linear": "interpolate",
    "amp_non_finite_check_and_unscale": "GradScaler.unscale_",
    "rotary": "rotary embedding",
    "smoothl1": "smooth_l1_loss",
    "reflection_pad2d_out": "pad",
    "reflection_pad1d": "pad",
    "reflection_pad2d": "pad",
    "replication_pad2d": "pad",
    "replication_pad3d": "pad",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool": "max_pool2d",
    "avg_pool2d_out": "avg_pool2d",
    "adaptive_avg_pool2d": "adaptive_avg_pool2d",
    "gelu": "gelu",
    "hardswish": "hardswish",
    "grid_sampler_2d": "grid_sample",
    "grid_sampler": "grid_sample",
    "cudnn_grid_sampler": "grid_sample",
    "grid_sampler_2d_cpu": "grid_sample",
    "svd": "svd",
    "qr": "qr",
    "inverse": "inverse",
    "cdist": "cdist",
    "topk": "topk",
    "sort": "sort",
    "sort_stable": "sort",
    "cumsum": "cumsum",
    "fill": "fill_",
    "where": "where",
    "eq": "eq",
    "index_put": "index_put_",
    "index_put_impl": "index_put_",
    "indexing_backward": "index_put_",
    "index_fill": "index_fill",
    "masked_select": "masked_select",
    "cosine_embedding_loss": "cosine_embedding_loss",
    "lu_solve": "lu_solve",
    "histc": "histc",
    "nms": "nms",
    "roialign_forward": "roi_align",
    "deform_im2col": "deform_conv",
    "modulated_deform_conv": "deform_conv",
    "allgather_base": "all_gather",
    "allgather": "all_gather",
    "allgather_coalesced": "all_gather",
    "allreduce": "all_reduce",
    "allreduce_coalesced": "all_reduce",
    "reduce_scatter_base": "reduce_scatter",
    "reducescatter": "reduce_scatter",
    "alltoall": "all_to_all",
    "alltoall_base": "all_to_all",
    "deformable_im2col": "deform_conv",
    "msda_forward": "ms_deform_attn",
    "ms_deform_attn_forward": "ms_deform_attn",
    "ms_deformable_im2col": "ms_deform_attn",
    "multi_scale_deform_attn": "ms_deform_attn",
}
_SAME |= {
    "mse": "mse_loss",
    "l1": "l1_loss",
    "smooth_l1": "smooth_l1_loss",
    "huber": "huber_loss",
    "fused_adamw": "optimizer.step",
    "fused_adagrad": "optimizer.step",
    "fused_sgd": "optimizer.step",
    "multi_tensor_l2norm": "clip_grad_norm_",
    "multi_tensor_axpby": "optimizer.step",
    "multi_tensor_lamb": "optimizer.step",
    "multi_tensor_sgd": "optimizer.step",
    "amp_foreach_non_finite_check_and_unscale": "GradScaler.unscale_",
    "amp_update_scale": "GradScaler.update",
    "im2col": "unfold",
    "col2im": "fold",
    "scatter_gather": "scatter",
    "scatter_gather_base_kernel_func": "scatter",
    "index_func": "index_add",
    "random_from_to": "random_",
    "random": "random_",
    "exponential": "exponential_",
    "cauchy": "cauchy_",
    "geometric": "geometric_",
    "slow_conv_transpose3d": "conv_transpose3d",
    "slow_conv_dilated2d": "conv2d",
    "slow_conv_dilated3d": "conv3d",
    "conv_depthwise3d": "conv3d",
    "conv_depthwise2d_forward_cuda": "conv2d",
    "convolution_overrideable": "conv2d",
    "grid_sampler_3d": "grid_sample",
    "grid_sampler3d": "grid_sample",
    "reflection_pad3d": "pad",
    "replication_pad1d": "pad",
    "constant_pad_nd": "pad",
    "upsample_nearest_exact2d": "interpolate",
    "thnn_fused_lstm_cell": "lstm_cell",
    "fused_lstm_cell": "lstm_cell",
    "lstm_cell_cuda": "lstm_cell",
    "thnn_fused_gru_cell": "gru_cell",
    "fused_gru_cell": "gru_cell",
    "cudnn_rnn": "lstm",
    "lstm_mps": "lstm",
    "multi_margin_loss": "multi_margin_loss",
    "linalg_svd": "svd",
    "linalg_eigh": "eigh",
    "linalg_inv_ex": "inverse",
    "linalg_qr": "qr",
    "linalg_cholesky_ex": "cholesky",
    "linalg_lu_factor_ex": "lu_factor",
    "linalg_vector_norm": "norm",
    "linalg_solve_ex": "solve",
    "norm_kernel_tensor_iterator_impl": "norm",
    "powsum": "norm",
    "clamp_max": "clamp",
    "clamp_max_scalar": "clamp",
    "clamp_min": "clamp",
    "geqrf": "qr",
    "orgqr": "qr",
    "stack_serial": "stack",
    "cat_serial": "cat",
    "std_var_all": "std",
    "weight_norm_interface": "weight_norm",
    "native_dropout": "dropout",
    "fused_rms_norm": "rms_norm",
    "native_multi_head_attention": "multi_head_attention",
    "transform_bias_rescale_qkv": "multi_head_attention",
    "native_batch_norm_legit": "batch_norm",
    "scaled_dot_product_flash_attention": "sdpa",
    "scaled_dot_product_efficient_attention": "sdpa",
    "scaled_dot_product_flash_attention_for": "sdpa",
    "local_scalar_dense": "item",
    "log_normal": "log_normal_",
    "nll_loss2d_forward": "nll_loss",
    "embedding_renorm": "embedding",
    "unique_dim": "unique",
    "unique2": "unique",
    "weight_int4pack_mm": "int4 matmul",
    "weight_int8pack_mm": "int8 matmul",
    "int_mm": "int8 matmul",
    "rowwise_moments_impl": "group_norm",
    "rowwisemomentsimpl": "group_norm",
    "rsub": "sub",
    "radd": "add",
}
_KERNELS = {
    "layernormkernelimpl": ("layer_norm", None),
    "layernormkernelimplinternal": ("layer_norm", "cpu"),
    "layernormbackwardkernelimpl": ("layer_norm", None),
    "groupnormkernelimpl": ("group_norm", None),
    "rmsnormkernelimpl": ("rms_norm", None),
    "addmm_impl_cpu_": ("linear", "cpu"),
    "gelukernelimpl": ("gelu", None),
    "normal_kernel_cpu": ("normal_", "cpu"),
    "host_softmax": ("softmax", "cuda"),
    "fused_dropout": ("dropout", "cuda"),
    "thnn_conv2d_cpu": ("conv2d", "cpu"),
    "geluckernelimpl": ("gelu", None),
    "softmax_lastdim_kernel_impl": ("softmax", "cpu"),
    "vec_log_softmax_lastdim_chunk_kernel": ("log_softmax", "cpu"),
    "unfold_backward_cpu": ("unfold", "cpu"),
    "compute_index_ranges_weights": ("interpolate", "cpu"),
    "fractional_max_pool2d_out_cuda_frame": ("fractional_max_pool2d", "cuda"),
    "flash_attention": ("sdpa", "cpu"),
    "baddbmm_with_gemm": ("baddbmm", "cpu"),
    "cpublas_gemm_impl": ("matmul", "cpu"),
}
_FRONT = re.compile(
    r"^(?:wrapper_+|CUDA_+|CPU_+|MPS_+|_?_?th_|s__th_|_?thnn_|_?s_th_|torch\.|aten[.:]+|torch_|at::native::|native_)",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"_?(cuda|cpu|mps|xpu|npu|hpu)(?:_template|_out_template|_frame)?_?$", re.IGNORECASE
)
_BACK = re.compile(
    r"(?:_?kernel_?impl|_?kernel|_out_frame|_out|_template|"
    r"_?backward\d?|_?forward|_internal|_impl|_frame|\.(?:tensor|scalar|default|out|int|dim_intlist)|_vml|_index|_reduce|"
    r"_2d|_lastdim)$",
    re.IGNORECASE,
)

_THNN = re.compile(
    r"^(?:cuda)?(?:half|float|double|long|int)?(\w{1,60}?)_(?:updateoutput|updategradinput|accgradparameters)$"
)
"""How torch before 0.4 named the functions of its layers: CudaHalfSpatialConvolutionMM_updateOutput."""
_LAYERS = {
    "bcecriterion": "binary_cross_entropy",
    "classnllcriterion": "nll_loss",
    "spatialclassnllcriterion": "nll_loss",
    "msecriterion": "mse_loss",
    "abscriterion": "l1_loss",
    "smoothl1criterion": "smooth_l1_loss",
    "distkldivcriterion": "kl_div",
    "spatialconvolutionmm": "conv2d",
    "spatialfullconvolution": "conv_transpose2d",
    "spatialfulldilatedconvolution": "conv_transpose2d",
    "spatialdilatedconvolution": "conv2d",
    "temporalconvolution": "conv1d",
    "volumetricconvolution": "conv3d",
    "volumetricconvolutionmm": "conv3d",
    "batchnormalization": "batch_norm",
    "lookuptable": "embedding",
    "softmax": "softmax",
    "logsoftmax": "log_softmax",
    "spatialmaxpooling": "max_pool2d",
    "spatialdilatedmaxpooling": "max_pool2d",
    "spatialaveragepooling": "avg_pool2d",
    "threshold": "relu",
    "spatialupsamplingnearest": "interpolate",
    "spatialupsamplingbilinear": "interpolate",
    "multilabelmargincriterion": "multilabel_margin_loss",
    "softmargincriterion": "soft_margin_loss",
    "spatialgridsamplerbilinear": "grid_sample",
}
_INSIDE = re.compile(r"_(cuda|cpu|mps|xpu|npu|hpu)_")
_FAMILIES = (
    ("upsample_", "interpolate"),
    ("compute_ind", "interpolate"),
    ("reflection_pad", "pad"),
    ("replication_pad", "pad"),
    ("slow_conv_transpose", "conv_transpose2d"),
    ("slow_conv2d", "conv2d"),
    ("slow_conv3d", "conv3d"),
    ("conv_depthwise", "conv2d"),
    ("cudnn_convolution", "conv2d"),
    ("miopen_convolution", "conv2d"),
    ("unfolded2d", "conv2d"),
    ("unfolded3d", "conv3d"),
    ("grid_sampler", "grid_sample"),
    ("foreach_", "optimizer.step"),
    ("fused_adam", "optimizer.step"),
    ("multi_tensor_", "optimizer.step"),
    ("cudnn_batch_norm", "batch_norm"),
    ("check_uniform", "uniform_"),
    ("cudnn_rnn", "lstm"),
    ("scaled_dot_product", "sdpa"),
    ("flash_attention", "sdpa"),
    ("layernorm", "layer_norm"),
    ("fft_", "fft"),
    ("efficient_attention", "sdpa"),
    ("cudnn_attention", "sdpa"),
    ("masked_softmax", "softmax"),
    ("fused_sgd", "optimizer.step"),
    ("fused_adagrad", "optimizer.step"),
    ("cudnn_ctc_loss", "ctc_loss"),
    ("differentiable_lstm_cell", "lstm_cell"),
    ("differentiable_gru_cell", "gru_cell"),
    ("lu_factor", "lu_factor"),
    ("ms_deform", "ms_deform_attn"),
    ("multi_scale_deform", "ms_deform_attn"),
    ("modulated_deform", "deform_conv"),
    ("deform", "deform_conv"),
    ("dcn", "deform_conv"),
    ("bias_act", "bias_act"),
    ("upfirdn2d", "upfirdn2d"),
    ("roi_align", "roi_align"),
    ("roialign", "roi_align"),
    ("roi_pool", "roi_pool"),
    ("grid_encod", "grid_encode"),
    ("selective_scan", "selective_scan"),
    ("causal_conv1d", "causal_conv1d"),
    ("nms_", "nms"),
    ("groupnorm", "group_norm"),
    ("rmsnorm", "rms_norm"),
    ("softmax", "softmax"),
    ("log_softmax", "log_softmax"),
)


_EXTENSIONS = frozenset(
    {
        "ms_deform_attn",
        "deform_conv",
        "bias_act",
        "upfirdn2d",
        "roi_align",
        "roi_pool",
        "grid_encode",
        "selective_scan",
        "causal_conv1d",
    }
)


def named(name: str) -> str:
    """The op's one name; "" for none. What is not known keeps its own name, without wrapper and backend."""
    return _strip(name.lower() if "_" in name and not name.islower() else name)[0]


def kernel(name: str) -> tuple[str, str | None]:
    """The op and the device of a kernel, as torch's dispatch macros name it."""
    known = _KERNELS.get(name.lower())
    if known is not None:
        return known
    return _strip(name)


def extension(name: str) -> str:
    """The op of a compiled extension that a file or function is named after; "" where it is none that is known."""
    low = name.lower()
    return next((op for word, op in _FAMILIES if word in low and op in _EXTENSIONS), "")


def _strip(name: str) -> tuple[str, str | None]:
    text = name.strip("_.:<>()' ")
    layer = _THNN.match(text.lower())
    if layer is not None:
        return _LAYERS.get(layer[1], layer[1]), None
    # the overload: aten.where.self
    if text.count(".") > 1 and text.startswith("aten."):
        text = text.rpartition(".")[0]
    text, device = _peeled(text)
    if text.lower() in _SAME:
        where = _DEVICE.search(text.lower())
        return _SAME[text.lower()], where[1] if where else device
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    inside = _INSIDE.search(plain)
    return _family(plain), device or (inside and inside[1])


def _peeled(text: str) -> tuple[str, str | None]:
    """A name without what torch puts before and behind it, up to a name that is known; and the device it told."""
    device = None
    for _ in range(12):
        low = text.lower()
        if low in _SAME or low in NAMES:
            break
        where = _DEVICE.search(text)
        if where and where.start():
            text, device = text[: where.start()], where[1].lower()
            continue
        end = _FRONT if _FRONT.match(text) else _BACK
        shorter = end.sub("", text, count=1).strip("_:") or text
        if shorter == text:
            break
        text = shorter
    return text, device


def _family(name: str) -> str:
    """The op of a name with more behind it: an overload or a variant, or a word that many kernels begin with."""
    known = "" if name in NAMES else leading(name)
    families = (op for word, op in _FAMILIES if name.startswith(word))
    return _SAME.get(known, known) or next(families, "") or _SAME.get(name, name)
