"""Public names of torch's ops, as its schemas and functional.py spell them (torch 2.13): a test compares them.

What a kernel or a wrapper is called often begins with one: `scatter__value`, `max_all_cuda`, `mul_cpu_reduced_float`.
"""

from __future__ import annotations

NAMES = frozenset(
    """
    abs acos acosh adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d add addbmm addcdiv addcmul addmm addmv addr adjoint affine_grid all
    allclose alpha_dropout amax amin aminmax angle any arange arccos arccosh arcsin arcsinh arctan arctan2
    arctanh argmax argmin argsort argwhere asin asinh atan atan2 atanh avg_pool1d avg_pool2d avg_pool3d backward
    baddbmm bartlett_window batch_norm bernoulli bilinear binary_cross_entropy binary_cross_entropy_with_logits
    bincount binomial bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
    blackman_window block_diag bmm broadcast_shapes broadcast_tensors broadcast_to bucketize cartesian_prod cat
    cdist ceil celu chain_matmul channel_shuffle cholesky cholesky_inverse cholesky_solve chunk clamp clamp_max
    clamp_min clip clone coalesce col2im column_stack concat concatenate constant_pad_nd contiguous conv1d
    conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution copy copysign corrcoef
    cos cosh cosine_embedding_loss cosine_similarity count_nonzero cov cross cross_entropy ctc_loss cummax
    cummin cumprod cumsum cumulative_trapezoid deg2rad det diag diag_embed diagflat diagonal diagonal_scatter
    diff digamma dist div divide dot dropout dropout1d dropout2d dropout3d dsplit dstack einsum elu embedding
    embedding_bag empty empty_like empty_permuted empty_quantized empty_strided eq equal erf erfc erfinv exp
    exp2 expand expand_as expm1 exponential eye feature_alpha_dropout feature_dropout fft_fft fft_fft2
    fft_fftfreq fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ifftshift
    fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn
    fill fix flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod fold frac
    fractional_max_pool2d fractional_max_pool3d frexp frobenius_norm from_file full full_like gather
    gaussian_nll_loss gcd ge gelu geqrf ger glu gradient greater greater_equal grid_sample grid_sampler
    grid_sampler_2d grid_sampler_3d group_norm grouped_mm gru gru_cell gt gumbel_softmax hamming_window
    hann_window hardshrink hardsigmoid hardswish hardtanh hash_tensor heaviside hinge_embedding_loss histc
    histogram histogramdd hsplit hspmm hstack huber_loss hypot i0 igamma igammac im2col imag index index_add
    index_copy index_fill index_put index_reduce index_select initial_seed inner instance_norm interpolate
    inverse isclose isfinite isin isinf isnan isneginf isposinf isreal istft item kaiser_window kl_div kron
    kthvalue l1_loss layer_norm lcm ldexp le leaky_relu lerp less less_equal lgamma linalg__powsum
    linalg_cholesky linalg_cholesky_ex linalg_cond linalg_cross linalg_det linalg_diagonal linalg_eig
    linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex
    linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu linalg_lu_factor
    linalg_lu_factor_ex linalg_lu_solve linalg_matmul linalg_matrix_exp linalg_matrix_norm linalg_matrix_power
    linalg_matrix_rank linalg_multi_dot linalg_norm linalg_pinv linalg_qr linalg_slogdet linalg_solve
    linalg_solve_ex linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve
    linalg_vander linalg_vecdot linalg_vector_norm linear linear_cross_entropy linspace local_response_norm log
    log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or
    logical_xor logit logsigmoid logspace logsumexp lp_pool1d lp_pool2d lp_pool3d lstm lstm_cell lt lu_solve
    lu_unpack manual_seed margin_ranking_loss masked_fill masked_scatter masked_select matmul matrix_exp
    matrix_power max max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d maximum mean median
    meshgrid min minimum mish mm mode moveaxis movedim mse_loss msort mul multi_head_attention_forward
    multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss multinomial multiply mv mvlgamma
    nan_to_num nanmean nanmedian nanquantile nansum narrow native_batch_norm native_channel_shuffle
    native_dropout native_group_norm native_layer_norm ne neg negative new_empty new_empty_strided
    new_full new_ones new_zeros nextafter nll_loss nll_loss2d nll_loss_nd nonzero nonzero_static norm
    norm_except_dim normal normalize not_equal nuclear_norm one_hot ones ones_like orgqr ormqr outer pad
    pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow
    prelu prod put qr quantile rad2deg rand rand_like randint randint_like randn randn_like random randperm
    range ravel real reciprocal reflection_pad1d reflection_pad2d reflection_pad3d relu relu6 remainder renorm
    repeat repeat_interleave replication_pad1d replication_pad2d replication_pad3d reshape reshape_as
    resolve_conj resolve_neg result_type rfind rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90
    round rrelu rsqrt rstrip rsub save scalar_tensor scaled_dot_product_attention scaled_grouped_mm scaled_mm
    scatter scatter_add scatter_gather scatter_reduce searchsorted seed select select_scatter selu sgn sigmoid
    sign signbit silu sin sinc sinh slogdet slow_conv3d slow_conv_dilated2d slow_conv_dilated3d
    slow_conv_transpose2d slow_conv_transpose3d smm smooth_l1_loss soft_margin_loss softmax softmin softplus
    softshrink softsign sort split split_with_sizes sqrt square sspaddmm stack std std_mean stft sub subtract
    sum sum_to_size svd swapaxes swapdims take take_along_dim tan tanh tanhshrink tensor tensor_split tensordot
    thnn_conv2d threshold tile to topk trace trapezoid trapz triangular_solve tril tril_indices
    triplet_margin_loss triplet_margin_with_distance_loss triu triu_indices true_divide trunc unbind unflatten
    unfold uniform unique_consecutive upsample upsample_bicubic2d upsample_bilinear upsample_bilinear2d
    upsample_linear1d upsample_nearest upsample_nearest1d upsample_nearest2d upsample_nearest3d
    upsample_trilinear3d vander var var_mean vdot view vsplit vstack wait where xlogy zeros zeros_like
    """.split()  # noqa: SIM905 - a list of words reads better without quotes and commas
)


def leading(name: str) -> str:
    """The longest op that a name begins with, up to an underscore; "" for none."""
    end = len(name)
    while end > 0:
        if name[:end].rstrip("_") in NAMES or f"linalg_{name[:end]}" in NAMES:
            return name[:end].rstrip("_")
        end = name.rfind("_", 0, end)
    return ""
