"""The lists that torch shares between accelerators: the AT_FORALL_* macros of ATen/autocast_mode.h.

cuda and xpu use them (mtia and maia too); cpu, mps and npu have lists of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

LOWER_PRECISION = """
    _convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
    conv_transpose3d.input convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm
    baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell
    rnn_tanh_cell rnn_relu_cell _scaled_dot_product_flash_attention scaled_dot_product_attention
"""
FLOAT32 = """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar
    pow.Tensor_Tensor pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim
    nuclear_norm nuclear_norm.dim cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d
    hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss
    multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits
    dist pdist cdist renorm logsumexp upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d
    _upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d
    _upsample_bilinear2d_aa upsample_trilinear3d upsample_bicubic2d _upsample_bicubic2d_aa
"""
SET_OPT_DTYPE = """
    prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm
    linalg_matrix_norm.str_ord sum sum.dim_IntList
"""
APPEND_DTYPE = "norm.Scalar norm.ScalarOpt_dim"
NAMED = "prod.dim_Dimname softmax.Dimname log_softmax.Dimname cumprod.dimname cumsum.dimname sum.dim_DimnameList"
NAMED_APPEND_DTYPE = "norm.names_ScalarOpt_dim"
PROMOTE = "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add"
FORBIDDEN = "binary_cross_entropy"

RECURRENT = """
    lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data rnn_relu.input rnn_relu.data
"""
"""Composites without a policy of their own, all of whose kernels on these devices have one (`_cudnn_rnn`, the fused
cells): everything is cast to lower precision, the initial states too. Off the device they decompose otherwise."""

SINCE: Mapping[str, tuple[int, int]] = {"rms_norm": (2, 12)}
UNTIL: Mapping[str, tuple[int, int]] = dict.fromkeys((*NAMED.split(), NAMED_APPEND_DTYPE), (2, 13))
"""Read off the symbols of torch 2.6 to 2.15 (`WrapFunction_<CastPolicy, DeviceType, …>`): named tensors are gone."""
