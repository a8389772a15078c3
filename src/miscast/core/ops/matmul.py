"""Matrix products."""

from __future__ import annotations

from ..event import Role
from .op import Op

_BOTH: dict[str, Role] = {"mat2": "activation", "weight": "activation"}

OPS = (
    Op(name="linear", schemas="addmm", aliases="s_addmm", modules="Linear", file="modules/linear.py", methods="addmm",
       arguments="mat1 m1 m2", frames="lora adapter embeddings.py",
       operands=("input", "weight", "bias"), half_but_on_cpu=True, layer=True),
    Op(name="matmul", schemas="mm", aliases="cpublas_gemm gemm sparse_matmul mul_mat",
       kernels={"cpublas_gemm_impl": "cpu"}, functions="__rmatmul__", methods="matmul mm", arguments="mat2",
       frames="matmul", operands=("mat1", "mat2"), roles=_BOTH),
    Op(name="bmm", methods="bmm", arguments="batch1 batch2", frames="bmm", operands=("batch1", "batch2"), roles=_BOTH),
    Op(name="baddbmm", kernels={"baddbmm_with_gemm": "cpu"}, methods="baddbmm",
       operands=("self", "batch1", "batch2"), roles=_BOTH),
    Op(name="bilinear", modules="Bilinear", layer=True),
    Op(name="einsum", methods="einsum"),
    Op(name="addmv", arguments="vec"),
    Op(name="dot", arguments="tensor1 tensor"),
    Op(name="axpy", ours=True, aliases="cpublas_axpy"),
    Op(name="scaled_mm", aliases="tunable_scaled_gemm scaled_gemm scaled_matmul"),
)
