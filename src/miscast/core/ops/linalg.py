"""Linear algebra and Fourier transforms."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="norm", schemas="linalg_vector_norm", aliases="powsum"),
    Op(name="inverse", schemas="linalg_inv_ex"),
    Op(name="solve", ours=True, schemas="linalg_solve_ex"),
    Op(name="cholesky", schemas="linalg_cholesky_ex"),
    Op(name="eigh", ours=True, schemas="linalg_eigh"),
    Op(name="lu_factor", ours=True, schemas="linalg_lu_factor_ex"),
    Op(name="qr", schemas="linalg_qr geqrf orgqr"),
    Op(name="svd", schemas="linalg_svd"),
    Op(name="fft", ours=True, begins="fft_"),
)
