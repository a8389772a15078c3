"""Matrix products: nothing promotes, every operand has one dtype."""

from __future__ import annotations

from .contract import Contract, Texts

_CPU_MM = "expected m1 and m2 to have the same dtype, but got: {self.c10} != {mat2.c10}"
_CUDA_MM = "expected mat1 and mat2 to have the same dtype, but got: {self.c10} != {mat2.c10}"
_OUT = "Expected out tensor to have dtype {self.c10}, but got {out.c10} instead"
_DOT = "dot : expected both vectors to have same dtype, but found {self} and {other}"
_ADDMM: Texts = {
    ("self", "mat2"): "self and mat2 must have the same dtype, but got {self} and {mat2}",
    ("mat1", "mat2"): "mat1 and mat2 must have the same dtype, but got {mat1} and {mat2}",
    ("self", "out"): _OUT,
}
_LINEAR_ADDMM: Texts = {
    ("bias", "weight"): "self and mat2 must have the same dtype, but got {bias} and {weight}",
    ("input", "weight", "bias"): "mat1 and mat2 must have the same dtype, but got {input} and {weight}",
}
_BILINEAR = "All tensors must have the same dtype, got input1: {input1.c10}, input2: {input2.c10}, weight: {weight.c10}"
_DTYPES_MUST_MATCH = "both inputs should have same dtype"
_SCALED = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float4_e2m1fn_x2")
_SCALES = ("float32", "float8_e8m0fnu", "float8_e4m3fn")

CONTRACTS = (
    Contract(
        ops=("aten.linear",), same=(("weight", "bias", "input"),), on=("cpu",),
        errors={
            **_LINEAR_ADDMM,
            ("input", "weight"): "expected m1 and m2 to have the same dtype, but got: {input.c10} != {weight.c10}",
        },
        source="measured on CPU, torch 2.13; ATen/native/Linear.cpp linear -> addmm with bias, matmul without",
    ),
    Contract(
        ops=("aten.linear",), same=(("weight", "bias", "input"),),
        errors={
            **_LINEAR_ADDMM,
            ("input", "weight"): "expected mat1 and mat2 to have the same dtype, but got: {input.c10} != {weight.c10}",
        },
        source="ATen/native/Linear.cpp linear; ATen/native/cuda/Blas.cpp addmm_out_cuda_impl",
    ),
    Contract(
        ops=("aten.mm",), same=(("mat2", "self", "out"),), on=("cpu",),
        errors={("self", "out"): _OUT, ("self", "mat2"): _CPU_MM},
        source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp addmm_impl_cpu_",
    ),
    Contract(
        ops=("aten.mm",), same=(("mat2", "self", "out"),), errors={("self", "out"): _OUT, ("self", "mat2"): _CUDA_MM},
        source="ATen/native/cuda/Blas.cpp addmm_out_cuda_impl",
    ),
    Contract(
        ops=("aten.mm.dtype", "aten.bmm.dtype", "aten.mm.dtype_out", "aten.bmm.dtype_out"), same=(("mat2", "self"),),
        source="ATen/native/cuda/Blas.cpp _mm_dtype_out_cuda, since torch 2.8",
    ),
    Contract(
        ops=("aten.addmm.dtype", "aten.addmm.dtype_out"),
        same=(("mat2", "mat1", "self"),),
        also={"self": ("float32",)},  # that of the result, which is either float32 or the operands' own
        errors={
            ("mat1", "mat2"): _ADDMM["mat1", "mat2"],
            ("self", "mat2"): "self dtype must match either out_dtype or mat1 dtype",
        },
        source="ATen/native/cuda/Blas.cpp _addmm_dtype_out_cuda, since torch 2.8",
    ),
    Contract(
        ops=("aten.baddbmm.dtype", "aten.baddbmm.dtype_out"), same=(("batch2", "batch1", "self"),),
        also={"self": ("float32",)},
        errors={("self", "batch2"): "self dtype must match either out_dtype or batch1 dtype"},
        source="ATen/native/cuda/Blas.cpp _baddbmm_dtype_cuda, since torch 2.8",
    ),
    Contract(
        ops=("aten.addmm", "aten.addmm_", "aten._addmm_activation"), same=(("mat2", "mat1", "self", "out"),),
        errors=_ADDMM, source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp ADDMM_META",
    ),
    Contract(
        ops=("aten._sparse_mm",), same=(("dense", "sparse"),), error="expected scalar type {sparse} but found {dense}",
        source="measured on CPU, torch 2.13; ATen/native/sparse/SparseTensorMath.cpp _sparse_mm",
    ),
    Contract(
        ops=("aten._sparse_addmm",), same=(("mat2", "mat1", "self"),),
        error="expected scalar type {mat1} but found {mat2}",
        source="measured on CPU, torch 2.13; ATen/native/sparse/SparseTensorMath.cpp s_addmm_out_sparse_dense_cpu",
    ),
    Contract(
        ops=("aten.addmv", "aten.addmv_"), same=(("mat", "vec", "self", "out"),),
        error="addmv input tensors must have the same dtype, but got {self}, {mat}, and {vec}",
        source="measured on CPU, torch 2.13; ATen/native/Blas.cpp TORCH_META_FUNC(addmv)",
    ),
    Contract(
        ops=("aten.mv",), same=(("self", "vec", "out"),),
        error="addmv input tensors must have the same dtype, but got {vec}, {self}, and {vec}",
        source="measured on CPU, torch 2.13; ATen/native/Blas.cpp mv -> addmv",
    ),
    Contract(
        ops=("aten.bmm",), same=(("self", "mat2", "out"),), error="expected scalar type {like} but found {odd}",
        source="measured on CPU, torch 2.13; ATen/native/cuda/Blas.cpp baddbmm_out_cuda_impl const_data_ptr",
    ),
    Contract(
        ops=("aten.baddbmm", "aten.baddbmm_"), same=(("batch1", "batch2", "self", "out"),),
        errors={
            ("self", "batch1"): "Input dtypes must be the same, got: input {self.c10}, batch1: {batch1.c10}, "
            "batch2: {batch2.c10}",
        },
        source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp common_checks_baddbmm_bmm",
    ),
    Contract(
        ops=("aten.addbmm", "aten.addbmm_"), same=(("batch1", "batch2", "self", "out"),),
        errors={
            ("self", "batch2"): "self and mat2 must have the same dtype, but got {self} and {batch2}",
            ("batch1", "batch2"): "mat1 and mat2 must have the same dtype, but got {batch1} and {batch2}",
        },
        source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp addbmm -> addmm",
    ),
    Contract(
        ops=("aten.matmul", "aten.linalg_matmul", "aten.__rmatmul__"), same=(("self", "input", "other"),), on=("cpu",),
        errors={
            ("self@2", "other@2"): "expected m1 and m2 to have the same dtype, but got: {self.c10} != {other.c10}",
            ("self@1", "other@1"): _DOT,
            ("self@2", "other@1"): "addmv input tensors must have the same dtype, but got {other}, {self}, and {other}",
        },
        source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp _matmul_impl -> mm, mv, dot, bmm",
    ),
    Contract(
        ops=("aten.matmul", "aten.linalg_matmul", "aten.__rmatmul__"), same=(("self", "input", "other"),),
        errors={
            ("self@2", "other@2"): "expected mat1 and mat2 to have the same dtype, but got: {self.c10} != {other.c10}",
            ("self@1", "other@1"): _DOT,
            ("self@2", "other@1"): "addmv input tensors must have the same dtype, but got {other}, {self}, and {other}",
        },
        source="ATen/native/LinearAlgebra.cpp _matmul_impl -> mm, mv, dot, bmm",
    ),
    Contract(
        ops=("aten.dot", "aten.vdot"), same=(("self", "tensor", "other", "out"),),
        errors={
            ("self", "tensor"): "dot : expected both vectors to have same dtype, but found {self} and {tensor}",
            ("self", "other"): _DOT,
        },
        source="measured on CPU, torch 2.13; ATen/native/cuda/Blas.cpp dot_check",
    ),
    Contract(
        ops=("aten.inner",), same=(("self", "other", "out"),), unless=(("self@0",), ("other@0",)),
        error=_DTYPES_MUST_MATCH, source="measured on CPU, torch 2.13; ATen/native/Linear.cpp tensordot",
    ),
    Contract(
        ops=("aten.tensordot",), same=(("self", "other", "out"),), error=_DTYPES_MUST_MATCH,
        source="measured on CPU, torch 2.13; ATen/native/Linear.cpp tensordot",
    ),
    Contract(
        ops=("aten.outer", "aten.ger", "aten.addr", "aten.kron"), promotes=True,
        source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp outer -> mul",
    ),
    Contract(ops=("aten.addr_",), promotes=True, into="self", source="measured on CPU, torch 2.13"),
    Contract(
        ops=("aten.chain_matmul",), same=(("matrices",),), on=("cpu",),
        error="expected m1 and m2 to have the same dtype, but got: {like.c10} != {odd.c10}",
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten.chain_matmul",), same=(("matrices",),),
        error="expected mat1 and mat2 to have the same dtype, but got: {like.c10} != {odd.c10}",
        source="ATen/native/LinearAlgebra.cpp chain_matmul -> mm",
    ),
    Contract(
        ops=("aten.linalg_multi_dot",), same=(("tensors",),),
        error="multi_dot(): all tensors must have be the same dtype but tensor 0 is {like.c10} and tensor {odd.index} "
        "{odd.c10}",
        source="measured on CPU, torch 2.13; ATen/native/LinearAlgebra.cpp multi_dot_impl",
    ),
    Contract(
        ops=("aten.bilinear",), same=(("weight", "bias", "input1", "input2"),),
        errors=dict.fromkeys(
            [("input1", "weight", "bias"), ("input2", "weight", "bias"), ("bias", "weight")],
            f"{_BILINEAR}, bias: {{bias.c10}}",
        ),
        error=_BILINEAR, source="measured on CPU, torch 2.13; ATen/native/Linear.cpp bilinear",
    ),
    Contract(ops=("aten._trilinear",), same=(("i2", "i1", "i3"),), source="measured on CPU, torch 2.13"),
    Contract(
        ops=("aten._scaled_mm",), on=("cpu",), same=(("scale_a", "scale_b"),),
        only={"self": _SCALED[:-1], "mat2": _SCALED[:-1], "scale_a": ("float32",), "scale_b": ("float32",)},
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten._scaled_mm",), on=("cuda", "mps", "xpu", "npu"), same=(("scale_a", "scale_b"),),
        only={"self": _SCALED, "mat2": _SCALED, "scale_a": _SCALES, "scale_b": _SCALES},
        errors={
            ("self",): "Expected mat_a to be Float8 or Float4_x2 matrix got {odd}",
            ("mat2",): "Expected mat_b to be Float8 or Float4_x2 matrix got {odd}",
        },
        source="ATen/native/cuda/ScaledBlas.cpp _scaled_mm_out_cuda",
    ),
    Contract(
        ops=("aten._scaled_mm_v2",), only={"self": _SCALED, "mat2": _SCALED, "scale_a": _SCALES, "scale_b": _SCALES},
        source="ATen/native/cuda/ScaledBlas.cpp _scaled_mm_cuda_v2_out",
    ),
    Contract(
        ops=("aten._weight_int4pack_mm",), on=("cuda",),
        only={"self": ("bfloat16",), "mat2": ("int32",), "qScaleAndZeros": ("bfloat16",)},
        source="ATen/native/cuda/int4mm.cu _weight_int4pack_mm_cuda",
    ),
    Contract(
        ops=("aten._weight_int8pack_mm",), on=("cpu",), same=(("scales", "self"),),
        only={"self": ("float32", "bfloat16", "float16"), "mat2": ("int8",)},
        errors={("self", "scales"): "expected scalar type {self} but found {scales}"},
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten._weight_int4pack_mm_for_cpu",), on=("cpu",), same=(("qScaleAndZeros", "self"),),
        only={"self": ("float32", "bfloat16", "float16"), "mat2": ("uint8",)},
        errors={("self", "qScaleAndZeros"): "expected scalar type {self} but found {qScaleAndZeros}"},
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten._int_mm",), only={"self": ("int8", "uint8"), "mat2": ("int8",)},
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten._grouped_mm",), same=(("mat2", "self"),), errors={("self", "mat2"): _CPU_MM},
        source="measured on CPU, torch 2.13; ATen/native/GroupedMMUtils.h _grouped_mm_fallback -> mm",
    ),
    Contract(
        ops=("aten._foreach_mm",), same=(("mat2", "self"),), zipped=True, on=("cpu",),
        errors={("self", "mat2"): _CPU_MM}, source="measured on CPU, torch 2.13",
    ),
)
