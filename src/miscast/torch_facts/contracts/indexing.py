"""Indexing, gathering and scattering: integer indices, boolean masks, and sources of the destination's dtype."""

from __future__ import annotations

from .contract import INDEX, LONG, Contract, Texts

_ANY_INDEX = ("int64", "int32", "uint8", "bool")
_MEASURED = "measured on CPU, torch 2.13"
_OUT = "Expected out tensor to have dtype {self.c10}, but got {out.c10} instead"
_INDEX_DEVICE = "indices should be either on cpu or on the same device as the indexed tensor ({like.device})"
_PUT = (
    "Index put requires the source and destination dtypes match, "
    "got {self} for the destination and {values} for the source."
)
_SCATTER: Texts = {
    ("index",): "scatter(): Expected dtype int32/int64 for index",
    ("self", "src"): "scatter(): Expected self.dtype to be equal to src.dtype",
}
_REDUCERS = ("aten.scatter_add", "aten.scatter_add_", "aten.scatter_reduce", "aten.scatter_reduce_")

CONTRACTS = (
    Contract(
        ops=("aten.index.Tensor",), same=(("self",),), only={"indices": _ANY_INDEX}, maybe_cpu=("indices",),
        errors={("indices",): "tensors used as indices must be long, int, byte or bool tensors"},
        device_error=(_INDEX_DEVICE,), source=f"{_MEASURED}; ATen/native/IndexingUtils.h checkIndexTensorTypes",
    ),
    Contract(
        ops=("aten.index_put", "aten.index_put_", "aten._index_put_impl_", "aten._unsafe_index_put"),
        same=(("self", "values"),), unless=(("indices@bool", "values@0"),), only={"indices": _ANY_INDEX},
        maybe_cpu=("indices",), cpu_scalars=True,
        errors={
            ("self", "values"): _PUT,
            ("indices",): "tensors used as indices must be long, int, byte or bool tensors",
        },
        device_error=(_INDEX_DEVICE,),
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp make_index_put_iterator",
    ),
    Contract(
        ops=("aten._unsafe_index.Tensor",), same=(("self",),), only={"indices": INDEX}, maybe_cpu=("indices",),
        errors={("indices",): "_unsafe_index found unexpected index type {odd}"}, source=_MEASURED,
    ),
    Contract(
        ops=("aten._unsafe_masked_index",), only={"indices": INDEX},
        errors={("indices",): "_unsafe_masked_index found unexpected index type {odd}"}, source=_MEASURED,
    ),
    Contract(
        ops=("aten._unsafe_masked_index_put_accumulate",), same=(("self", "values"),), only={"indices": INDEX},
        errors={("self", "values"): _PUT, ("indices",): "_unsafe_masked_index found unexpected index type {odd}"},
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.index_add", "aten.index_add_"), same=(("self", "source"),), only={"index": INDEX},
        errors={
            ("index",): "index_add_(): Expected dtype int32/int64 for index but got: {odd}",
            ("self", "source"): "index_add_(): self ({self}) and source ({source}) must have the same scalar type",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp index_func_meta_impl",
    ),
    Contract(
        ops=("aten.index_reduce", "aten.index_reduce_"), same=(("self", "source"),), only={"index": INDEX},
        errors={
            ("index",): "index_reduce_(): Expected dtype int32/int64 for index but got: {odd}",
            ("self", "source"): "index_reduce_(): self ({self}) and source ({source}) must have the same scalar type",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp index_func_meta_impl",
    ),
    Contract(
        ops=("aten.index_copy", "aten.index_copy_"), same=(("self", "source"),), only={"index": LONG},
        errors={
            ("index",): "index_copy_(): Expected a long tensor for index, but got {odd}",
            ("self", "source"): "index_copy_(): self and source expected to have the same dtype, but got (self) {self} "
            "and (source) {source}",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp index_copy",
    ),
    Contract(
        ops=("aten.index_fill", "aten.index_fill_"), same=(("self",),), only={"index": LONG}, cpu_scalars=True,
        errors={("index",): "index_fill_(): Expected dtype int64 for index."},
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp index_fill_",
    ),
    Contract(
        ops=("aten.index_select",), same=(("self", "out"),), only={"index": INDEX},
        errors={
            ("index",): "index_select(): Expected dtype int32 or int64 for index",
            ("self", "out"): "index_select(): self and result must have the same scalar type",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp index_select_out_cpu_",
    ),
    Contract(
        ops=("aten.index_select_backward",), only={"index": INDEX},
        errors={("index",): "index_add_(): Expected dtype int32/int64 for index but got: {odd}"},
        source=f"{_MEASURED}; torch/csrc/autograd/FunctionsManual.cpp index_add",
    ),
    Contract(
        ops=("aten.gather_backward",), only={"index": INDEX}, errors={("index",): _SCATTER[("index",)]},
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp gather_backward -> scatter_add_",
    ),
    Contract(
        ops=("aten.gather",), same=(("self", "out"),), only={"index": INDEX},
        errors={("index",): "gather(): Expected dtype int32/int64 for index", ("self", "out"): _OUT},
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp TORCH_META_FUNC(gather)",
    ),
    Contract(
        ops=("aten.scatter", "aten.scatter_", *_REDUCERS), same=(("self", "src", "out"),), only={"index": INDEX},
        errors=_SCATTER, source=f"{_MEASURED}; ATen/native/ScatterGatherChecks.h scatter_gather_dtype_check",
    ),
    Contract(
        ops=("aten.value_selecting_reduction_backward", "aten.cummaxmin_backward"), same=(("input", "grad"),),
        only={"indices": INDEX}, errors={("indices",): _SCATTER[("index",)]}, error=_SCATTER[("self", "src")],
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.masked_fill", "aten.masked_fill_"), same=(("self",),), only={"mask": ("bool",)}, cpu_scalars=True,
        errors={("mask",): "masked_fill_ only supports boolean masks, but got mask with dtype {odd.c10}"},
        device_error=(("expected self and mask to be on the same device, but got mask on {odd.device} and self on "
        "{like.device}"),),
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp masked_fill_impl_cpu",
    ),
    Contract(
        ops=("aten.masked_scatter", "aten.masked_scatter_"), same=(("self", "source"),), only={"mask": ("bool",)},
        errors={
            ("mask",): "masked_scatter_ only supports boolean masks, but got mask with dtype {odd}",
            ("self", "source"): "masked_scatter: expected self and source to have same dtypes but got{self} and "
            "{source}",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp masked_scatter__cpu",
    ),
    Contract(
        ops=("aten.masked_select", "aten.masked_scatter_backward"), only={"mask": ("bool",)},
        errors={("mask",): "masked_select: expected BoolTensor for mask"},
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp masked_select_out_impl_cpu",
    ),
    Contract(
        ops=("aten.masked_select_backward",), same=(("input", "grad"),), only={"mask": ("bool",)},
        errors={("mask",): "masked_scatter_ only supports boolean masks, but got mask with dtype {odd}"},
        error="masked_scatter: expected self and source to have same dtypes but got{input} and {grad}",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.take",), same=(("self", "out"),), only={"index": LONG},
        errors={
            ("index",): "take(): Expected a long tensor for index, but got {odd}",
            ("self", "out"): "take(): self and out expected to have the same dtype, but got self.dtype = {self} and "
            "out.dtype = {out}",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp take_out",
    ),
    Contract(
        ops=("aten.put", "aten.put_"), same=(("self", "source"),), only={"index": LONG},
        errors={
            ("index",): "put_(): Expected a long tensor for index, but got {odd}",
            ("self", "source"): "put_(): self and source expected to have the same dtype, but got self.dtype = {self} "
            "and source.dtype = {source}",
        },
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp put_",
    ),
    Contract(
        ops=("aten.take_along_dim",), only={"indices": LONG},
        errors={("indices",): "torch.take_along_dim(): dtype of indices should be Long but got {odd}"},
        device_error=(("torch.take_along_dim(): Expected tensor to have {like.device} device but got tensor with "
        "{odd.device} device"),),
        source=f"{_MEASURED}; ATen/native/TensorAdvancedIndexing.cpp _take_along_dim_helper",
    ),
    Contract(
        ops=tuple(f"aten.where.{form}" for form in ("self", "self_out", "ScalarSelf", "ScalarOther", "Scalar")),
        only={"condition": ("bool", "uint8")}, promotes=True, cpu_scalars=True,
        errors={("condition",): "where expected condition to be a boolean tensor, but got a tensor with dtype {odd}"},
        source=f"{_MEASURED}; ATen/native/TensorCompare.cpp where_self_out",
    ),
    Contract(
        ops=("aten.one_hot",), only={"self": LONG},
        errors={("self",): "one_hot is only applicable to index tensor of type LongTensor."},
        source="ATen/native/Onehot.cpp one_hot",
    ),
    Contract(
        ops=("aten.narrow.Tensor",), only={"start": (*INDEX, "int16", "int8", "uint8")}, any_device=("start",),
        errors={("start",): "start must be an 0-dim integral Tensor."},
        source=f"{_MEASURED}; ATen/native/TensorShape.cpp narrow_tensor_symint",
    ),
    Contract(
        ops=("aten.tensor_split.tensor_indices_or_sections",), only={"tensor_indices_or_sections": LONG},
        on_cpu=("tensor_indices_or_sections",),
        errors={
            ("tensor_indices_or_sections",): "tensor_split expected tensor_indices_or_sections to have dtype of long, "
            "but got {odd}"
        },
        source=f"{_MEASURED}; ATen/native/TensorShape.cpp tensor_split",
    ),
    Contract(
        ops=("aten.repeat_interleave.self_Tensor",), only={"repeats": INDEX},
        errors={("repeats",): "\"repeat_interleave_cpu\" not implemented for '{odd}'"},
        source=f"{_MEASURED}; ATen/native/Repeat.cpp repeat_interleave_cpu",
    ),
    Contract(
        ops=("aten.repeat_interleave.Tensor",), only={"repeats": INDEX},
        errors={("repeats",): "repeats has to be Long or Int tensor"},
        source="ATen/native/Repeat.cpp repeat_interleave_common",
    ),
    Contract(
        ops=("aten.bincount",), only={"self": ("int64", "int32", "int16", "int8", "uint8")},
        errors={("self",): "\"bincount_cpu\" not implemented for '{odd}'"},
        source=f"{_MEASURED}; ATen/native/SummaryOps.cpp",
    ),
)
