"""Autocast on mps: ATen/autocast_mode.cpp, `TORCH_LIBRARY_IMPL(aten, AutocastMPS)`, 95 ops in torch 2.13.

Unlike cuda: batch_norm and conv_transpose3d run in float32, reductions and softmax are cast rather than given
an output dtype, upsampling and norm have no policy, and binary_cross_entropy is not forbidden.
"""

from __future__ import annotations

from collections.abc import Mapping

from .policy import Policy

_LOWER_PRECISION = """
    _convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
    convolution _mps_convolution prelu addmm addmv addr matmul einsum mm mv linear addbmm
    baddbmm bmm chain_matmul linalg_multi_dot lstm_cell scaled_dot_product_attention
"""
_FLOAT32 = """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar
    pow.Tensor_Tensor pow.Scalar softplus batch_norm layer_norm native_layer_norm group_norm frobenius_norm.dim
    nuclear_norm nuclear_norm.dim cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d
    hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss
    multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits
    dist pdist cdist renorm logsumexp conv_transpose3d.input prod prod.dim_int softmax.int log_softmax.int cumprod
    cumsum linalg_vector_norm linalg_matrix_norm linalg_matrix_norm.str_ord sum sum.dim_IntList
"""
_NAMED = "prod.dim_Dimname softmax.Dimname log_softmax.Dimname cumprod.dimname cumsum.dimname sum.dim_DimnameList"
_PROMOTE = "addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put tensordot scatter_add"

POLICIES: Mapping[Policy, str] = {
    "lower_precision": _LOWER_PRECISION,
    "float32": _FLOAT32 + _NAMED,
    "promote": _PROMOTE,
}
SINCE = {"conv3d": (2, 9), "conv_transpose3d.input": (2, 9)}
UNTIL = dict.fromkeys(_NAMED.split(), (2, 13))
