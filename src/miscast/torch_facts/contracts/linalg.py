"""Linear algebra: solvers want one dtype, and nearly none knows half precision."""

from .contract import FULL, LONG, Contract

_MEASURED = "measured on CPU, torch 2.13"
_B_A = "Expected b and A to have the same dtype, but found b of type {self} and A of type {%s} instead."
_DENSE = (*FULL, "complex64", "complex128")

CONTRACTS = (
    Contract(
        ops=("aten.linalg_solve", "aten.linalg_solve_ex", "aten._linalg_solve_ex"), same=(("A", "B"),), kernels=_DENSE,
        error="linalg.solve: Expected A and B to have the same dtype, but found A of type {A} and B of type {B} "
        "instead",
        errors={("kernels",): "linalg.solve: Low precision dtypes not supported. Got {odd}"},
        source=f"{_MEASURED}; ATen/native/BatchLinearAlgebra.cpp TORCH_META_FUNC(_linalg_solve_ex)",
    ),
    Contract(
        ops=("aten.linalg_tensorsolve",), same=(("self", "other"),), kernels=_DENSE,
        error="linalg.solve: Expected A and B to have the same dtype, but found A of type {self} and B of type {other} "
        "instead",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.linalg_lu_solve",), same=(("LU", "B"),), only={"pivots": ("int32",)}, kernels=_DENSE,
        error="linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {LU} and B of type {B} "
        "instead",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.lu_solve",), same=(("LU_data", "self"),), only={"LU_pivots": ("int32",)}, kernels=_DENSE,
        error="linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {LU_data} and B of type "
        "{self} instead",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.lu_unpack",), only={"LU_pivots": ("int32",)},
        errors={
            ("LU_pivots",): "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype."
        },
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.linalg_ldl_solve",), same=(("LD", "B"),), only={"pivots": ("int32", "int64")}, kernels=_DENSE,
        error="Expected b and A to have the same dtype, but found b of type {B} and A of type {LD} instead.",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.linalg_pinv", "aten.linalg_matrix_rank"), kernels=_DENSE, promotes=True,
        errors={
            ("kernels",): "linalg.pinv({odd}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
            "cdouble types"
        },
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.linalg_lstsq",), same=(("self", "b"),), kernels=_DENSE,
        error="torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {self} and "
        "other's dtype {b}",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.linalg_solve_triangular",), kernels=_DENSE, promotes=True,
        errors={("kernels",): "\"triangular_solve_cpu\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(ops=("aten.triangular_solve",), same=(("A", "self"),), kernels=_DENSE, error=_B_A % "A", source=_MEASURED),
    Contract(
        ops=("aten.cholesky_solve",), same=(("input2", "self"),), kernels=_DENSE, error=_B_A % "input2",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.ormqr",), same=(("self", "input2", "input3"),), kernels=_DENSE,
        errors={
            ("self", "input2"): "torch.ormqr: Expected input and tau to have the same dtype, but input has dtype{self} "
            "and tau has dtype {input2}",
            ("self", "input3"): "torch.ormqr: Expected input and other to have the same dtype, but input has "
            "dtype{self} and other has dtype {input3}",
        },
        source=_MEASURED,
    ),
    Contract(ops=("aten.linalg_householder_product",), same=(("input", "tau"),), kernels=_DENSE, source=_MEASURED),
    Contract(
        ops=("aten.linalg_vecdot",), same=(("x", "y"),),
        error="linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x} and y of type {y} "
        "instead",
        source=_MEASURED,
    ),
    Contract(ops=("aten.cross", "aten.linalg_cross"), same=(("self", "other"),), source=_MEASURED),
    Contract(
        ops=("aten.cdist", "aten._cdist_forward"), same=(("x1", "x2"),), only={"x1": FULL},
        errors={("x1",): "\"cdist\" not implemented for '{odd}'"},
        source=f"{_MEASURED}; CUDA: ATen/native/cuda/DistanceKernel.cu AT_DISPATCH_FLOATING_TYPES",
    ),
    Contract(ops=("aten._euclidean_dist",), same=(("x1", "x2"),), source=_MEASURED),
    Contract(
        ops=("aten._cdist_backward",), only={"x1": FULL},
        errors={("x1",): "\"cdist_backward\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(ops=("aten._pdist_backward",), only={"self": FULL}, source=_MEASURED),
    Contract(
        ops=("aten.quantile", "aten.nanquantile"), same=(("self", "q"),), only={"self": FULL},
        error="quantile() q tensor must be same dtype as the input tensor",
        errors={("self",): "quantile() input tensor must be either float or double dtype"},
        source=f"{_MEASURED}; ATen/native/Sorting.cpp quantile_checks",
    ),
    Contract(
        ops=(
            "aten.histogram",
            "aten.histogramdd",
            "aten._histogramdd_from_bin_cts",
            "aten._histogramdd_from_bin_tensors",
        ),
        same=(("self", "bins", "weight"),), kernels=FULL, on=("cpu",),
        errors={
            ("self", "weight"): "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            "should have the same dtype, but got input({self.c10}), and weight({weight.c10})",
            ("self", "bins"): "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
            "input with dtype {self.c10} and bins for dimension 0 with dtype {bins.c10}",
            ("kernels",): "\"histogramdd\" not implemented for '{odd}'",
        },
        source=f"{_MEASURED}; ATen/native/Histogram.cpp histogramdd_check_inputs",
    ),
    Contract(
        ops=("aten.segment_reduce",),
        only={"lengths": ("int64", "int32"), "offsets": ("int64", "int32"), "indices": LONG}, same=(("data",),),
        kernels=(*FULL, "float16", "bfloat16"), source=_MEASURED,
    ),
    Contract(
        ops=("aten._segment_reduce_backward",), only={"lengths": ("int64", "int32"), "offsets": ("int64", "int32")},
        same=(("data", "grad", "output"),), source=_MEASURED,
    ),
)
