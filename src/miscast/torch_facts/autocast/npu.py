"""Autocast on npu: torch_npu/csrc/aten/AutoCastOps.cpp of Ascend/pytorch, commit 0c9b75c7. Read there, not measured.

It copies an older list of cuda's: no rms_norm, upsampling, vdot, linalg_vecdot.
"""

from __future__ import annotations

from collections.abc import Mapping

from .policy import Policy

_LOWER_PRECISION = """
    _convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
    conv_transpose3d.input convolution cudnn_convolution cudnn_convolution_transpose prelu addmm addmv addr matmul
    einsum mm mv linear addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell
    lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell _scaled_dot_product_flash_attention scaled_dot_product_attention
"""
_FLOAT32 = """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar
    pow.Tensor_Tensor pow.Scalar softplus layer_norm native_layer_norm group_norm frobenius_norm.dim nuclear_norm
    nuclear_norm.dim cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d
    hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss
    multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits
    dist pdist cdist renorm logsumexp
"""
_SET_OPT_DTYPE = """
    prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm
    linalg_matrix_norm.str_ord sum sum.dim_IntList
"""
_PROMOTE = "addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put tensordot scatter_add"

POLICIES: Mapping[Policy, str] = {
    "lower_precision": _LOWER_PRECISION,
    "float32": _FLOAT32,
    "float32_set_opt_dtype": _SET_OPT_DTYPE,
    "float32_append_dtype": "norm.Scalar norm.ScalarOpt_dim",
    "promote": _PROMOTE,
    "forbidden": "binary_cross_entropy",
}
