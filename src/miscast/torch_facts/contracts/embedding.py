"""Embeddings: integer indices, any floating weight."""

from .contract import FLOATS, INDEX, Contract

_SCALAR_TYPES = (
    "Expected tensor for argument #{n} 'indices' to have one of the following scalar types: Long, Int; "
    "but got {{odd.type}} instead (while checking arguments for {where})"
)
_BAG = "embedding_bag"

CONTRACTS = (
    Contract(
        ops=("aten.embedding",), only={"indices": INDEX}, same=(("weight",),),
        errors={("indices",): _SCALAR_TYPES.format(n=1, where="embedding")},
        device_error=(("Expected all tensors to be on the same device, but got index is on {odd.device}, different "
        "from other tensors on {like.device} (when checking argument in method wrapper_CUDA__index_select)"),),
        source="measured on CPU, torch 2.13; ATen/native/Embedding.cpp embedding_symint",
    ),
    Contract(
        ops=("aten.embedding_backward", "aten.embedding_dense_backward"), only={"indices": INDEX},
        errors={("indices",): _SCALAR_TYPES.format(n=2, where="embedding_backward")},
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten.embedding_bag", "aten._embedding_bag", "aten._embedding_bag_forward_only"),
        only={"weight": FLOATS, "indices": INDEX, "offsets": INDEX}, same=(("weight", "per_sample_weights"),),
        errors={
            ("weight",): "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
            "BFloat16, Float, Double; but got {odd.type} instead (while checking arguments for embedding_bag)",
            ("indices",): _SCALAR_TYPES.format(n=1, where=_BAG),
            ("offsets",): _SCALAR_TYPES.format(n=1, where=_BAG),
        },
        source="measured on CPU, torch 2.13; ATen/native/EmbeddingBag.cpp check_arguments",
    ),
    Contract(
        ops=("aten._embedding_bag_backward", "aten._embedding_bag_dense_backward"),
        only={"indices": INDEX, "offsets": INDEX}, same=(("grad", "per_sample_weights"),),
        source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten._embedding_bag_per_sample_weights_backward",), only={"indices": INDEX, "offsets": INDEX},
        same=(("grad", "weight"),), source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten.embedding_renorm_",), only={"indices": INDEX},
        source="ATen/native/Embedding.cpp embedding_renorm_cpu_",
    ),
)
