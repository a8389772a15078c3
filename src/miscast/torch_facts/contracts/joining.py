"""Joining tensors: `cat` and `stack` promote, a few others do not."""

from .contract import Contract

_MEASURED = "measured on CPU, torch 2.13"
_CAT_DEVICE = (
    "Expected all tensors to be on the same device, but got tensors is on {odd.device}, different from other tensors "
    "on {like.device} (when checking argument in method wrapper_CUDA_cat)"
)
_JOIN = ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "row_stack", "column_stack")

CONTRACTS = (
    Contract(
        ops=tuple(f"aten.{name}" for name in _JOIN), promotes=True, device_error=(_CAT_DEVICE,),
        source=f"{_MEASURED}; ATen/native/TensorShape.cpp TORCH_PRECOMPUTE_META_FUNC(cat)",
    ),
    Contract(
        ops=tuple(f"aten.{name}.out" for name in _JOIN), promotes=True, into="out", device_error=(_CAT_DEVICE,),
        source=f"{_MEASURED}; torch.cat(): input types can't be cast to the desired output type",
    ),
    Contract(ops=("aten.block_diag",), promotes=True, source=_MEASURED),
    Contract(
        ops=("aten.meshgrid", "aten.cartesian_prod"), same=(("tensors",),),
        error="meshgrid expects all tensors to have the same dtype",
        source=f"{_MEASURED}; ATen/native/TensorShape.cpp meshgrid",
    ),
    Contract(
        ops=("aten._chunk_cat",), same=(("tensors",),),
        error="_chunk_cat expects all input tensors with the same dtype",
        source=f"{_MEASURED}; ATen/native/TensorShape.cpp preprocess_chunk_cat_inputs",
    ),
)
