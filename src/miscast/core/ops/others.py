"""Public names of torch's ops of which nothing but the name is known here."""

from __future__ import annotations

OTHERS = frozenset(
    """
    abs acos acosh adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d addbmm addr adjoint affine_grid all allclose alpha_dropout amax amin
    aminmax angle any arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere
    asin asinh atan atan2 atanh avg_pool1d avg_pool3d bartlett_window bernoulli bincount binomial bitwise_and
    bitwise_not bitwise_or bitwise_xor blackman_window block_diag
    broadcast_shapes broadcast_tensors broadcast_to bucketize cartesian_prod cdist ceil celu chain_matmul
    channel_shuffle cholesky_inverse cholesky_solve chunk clip clone coalesce column_stack concat concatenate
    contiguous conv_tbc copy copysign corrcoef cos cosh count_nonzero cov cross cummax cummin cumprod
    cumulative_trapezoid deg2rad det diag diag_embed diagflat diagonal diagonal_scatter diff digamma dist divide
    dropout1d dropout2d dropout3d dsplit dstack elu empty empty_like empty_permuted empty_quantized
    empty_strided equal erf erfc erfinv exp exp2 expand expand_as expm1 eye feature_alpha_dropout
    feature_dropout fft_fft fft_fft2 fft_fftfreq fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft
    fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft
    fft_rfft2 fft_rfftfreq fft_rfftn fix flatten flip fliplr flipud float_power floor fmax fmin fmod frac
    fractional_max_pool2d fractional_max_pool3d frexp frobenius_norm from_file full_like gaussian_nll_loss gcd
    ge ger glu gradient greater greater_equal grouped_mm gt gumbel_softmax hamming_window hann_window hardshrink
    hardsigmoid hardswish hardtanh hash_tensor heaviside hinge_embedding_loss histc histogram histogramdd hsplit
    hspmm hstack hypot i0 igamma igammac imag index index_reduce initial_seed inner isclose isfinite isin isinf
    isnan isneginf isposinf isreal istft kaiser_window kron kthvalue lcm ldexp le leaky_relu lerp less
    less_equal lgamma linalg__powsum linalg_cholesky linalg_cond linalg_cross linalg_det linalg_diagonal
    linalg_eig linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_ldl_factor
    linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_solve linalg_matmul
    linalg_matrix_exp linalg_matrix_norm linalg_matrix_power linalg_matrix_rank linalg_multi_dot linalg_norm
    linalg_pinv linalg_slogdet linalg_solve linalg_solve_triangular linalg_svdvals linalg_tensorinv
    linalg_tensorsolve linalg_vander linalg_vecdot linear_cross_entropy linspace local_response_norm log log10
    log1p log2 logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit
    logspace logsumexp lp_pool1d lp_pool2d lp_pool3d lt lu_solve lu_unpack manual_seed
    margin_ranking_loss masked_select matrix_exp matrix_power max max_pool1d max_pool3d max_unpool1d
    max_unpool2d max_unpool3d maximum median meshgrid minimum mish mode moveaxis movedim msort
    multi_head_attention_forward multi_margin_loss multilabel_soft_margin_loss multiply mv mvlgamma nan_to_num
    nanmean nanmedian nanquantile nansum narrow native_channel_shuffle ne neg negative new_empty
    new_empty_strided new_full new_ones new_zeros nextafter nonzero nonzero_static norm_except_dim normalize
    not_equal nuclear_norm one_hot ones ones_like ormqr outer pairwise_distance pdist pixel_shuffle
    pixel_unshuffle poisson poisson_nll_loss polar polygamma positive prod put rad2deg rand randint
    randint_like randn range ravel real reciprocal relu6 remainder renorm repeat reshape reshape_as
    resolve_conj resolve_neg result_type rfind rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round
    rrelu rsqrt rstrip save scalar_tensor scaled_grouped_mm scatter_reduce searchsorted seed select silu
    select_scatter selu sgn sigmoid sign signbit sin sinc sinh slogdet smm softmin softplus softshrink softsign
    sort sparse_coo_tensor split split_with_sizes sqrt square sspaddmm stack std std_mean stft subtract sum_to_size
    swapaxes swapdims take take_along_dim tan tanh tanhshrink tensor tensor_split tensordot threshold tile trace
    trapezoid trapz triangular_solve tril tril_indices triplet_margin_loss triplet_margin_with_distance_loss
    triu triu_indices true_divide trunc unflatten unique_consecutive upsample_bilinear upsample_nearest vander
    var var_mean vdot view vsplit vstack wait xlogy zeros zeros_like
    """.split()  # noqa: SIM905 - a list of words reads better without quotes and commas
)
