"""Autocast on cpu: ATen/autocast_mode.cpp, `TORCH_LIBRARY_IMPL(aten, AutocastCPU)`, 127 ops in torch 2.13.

Unlike cuda: no policy for normalisation, softmax, reductions, pow, exp and einsum; cat and stack take the widest.
"""

from __future__ import annotations

from collections.abc import Mapping

from .policy import VISION, Policy

_LOWER_PRECISION = """
    conv1d conv1d.padding conv2d conv2d.padding conv3d conv3d.padding bmm mm linalg_vecdot baddbmm addmm
    _addmm_activation addbmm linear _convolution.deprecated matmul conv_tbc mkldnn_rnn_layer conv_transpose1d
    conv_transpose2d.input conv_transpose3d.input prelu scaled_dot_product_attention _native_multi_head_attention
"""
_FLOAT32 = """
    adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits cdist
    cholesky cholesky_inverse cholesky_solve cosine_embedding_loss cross_entropy_loss ctc_loss.IntList
    ctc_loss.Tensor fake_quantize_per_tensor_affine fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn
    fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn fractional_max_pool2d
    fractional_max_pool3d geqrf grid_sampler grid_sampler_2d _grid_sampler_2d_cpu_fallback grid_sampler_3d
    hinge_embedding_loss huber_loss inverse kl_div l1_loss linalg_cholesky linalg_cholesky_ex linalg_cond
    linalg_cond.p_str linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv
    linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_matrix_rank.atol_rtol_float
    linalg_matrix_rank.atol_rtol_tensor linalg_matrix_rank.tol_tensor linalg_qr linalg_solve linalg_svd
    linalg_svdvals linalg_tensorinv linalg_tensorsolve lu_solve _lu_with_info margin_ranking_loss max_pool3d
    max_unpool2d max_unpool3d mse_loss multi_margin_loss multilabel_margin_loss multilabel_margin_loss_forward
    nanquantile nanquantile.scalar nll_loss nll_loss2d orgqr ormqr pinverse poisson_nll_loss polar prod prod.dim_int
    qr quantile quantile.scalar reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d
    replication_pad3d smooth_l1_loss soft_margin_loss stft stft.center svd trace triangular_solve
    triplet_margin_loss view_as_complex linalg_matrix_sqrth prod.dim_Dimname
"""
_PROMOTE = "stack cat index_copy index_copy.dimname"

POLICIES: Mapping[Policy, str] = {
    "lower_precision": _LOWER_PRECISION,
    "float32": _FLOAT32,
    "float32_and_back": VISION,
    "promote": _PROMOTE,
}
# lstm goes to `mkldnn_rnn_layer` if its operands are float32; gru and rnn have no such kernel. The others end in cat
# or stack; isin only if there is much to look for, matrix_exp only from two rows on.
KERNELS: Mapping[Policy, str] = {
    "lower_precision": "lstm.input",
    "refuse_other_half": """
        roll _chunk_cat isin.Tensor_Tensor linalg_matrix_exp unique_dim unique_dim_consecutive unique_consecutive
    """,
}
SINCE = {"linalg_matrix_sqrth": (2, 14)}
UNTIL = {"cholesky": (2, 14), "qr": (2, 14), "index_copy.dimname": (2, 13), "prod.dim_Dimname": (2, 13)}
