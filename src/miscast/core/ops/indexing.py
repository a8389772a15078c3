"""Embeddings, indexing, masks, and what joins or sorts tensors."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="embedding", schemas="index_select", layers="lookuptable", modules="Embedding", file="modules/sparse.py",
       methods="index_select", arguments="indices index", layer=True),
    Op(name="embedding_bag", modules="EmbeddingBag", own_arguments="per_sample_weights"),
    Op(name="index_add", aliases="index_func", methods="index_add index_add_"),
    Op(name="index_copy", methods="index_copy index_copy_"),
    Op(name="index_fill", methods="index_fill index_fill_"),
    Op(name="index_put_", ours=True, schemas="index_put", aliases="indexing_backward", methods="index_put index_put_"),
    Op(name="gather", methods="gather"),
    Op(name="scatter", schemas="scatter_gather", programs="*onehot* *one_hot*", methods="scatter scatter_"),
    Op(name="scatter_add", methods="scatter_add scatter_add_"),
    Op(name="masked_fill", methods="masked_fill masked_fill_", arguments="mask"),
    Op(name="masked_scatter", methods="masked_scatter masked_scatter_"),
    Op(name="where", methods="where"),
    Op(name="cat", programs="*_flatten_dense_tensors*", methods="cat", arguments="tensors"),
    Op(name="to", aliases="cast to_copy"),
    Op(name="copy_", ours=True, aliases="s_copy", methods="copy_"),
    Op(name="fill_", ours=True, schemas="fill"),
    Op(name="full", frames="_make_causal_mask _prepare_4d"),
    Op(name="repeat_interleave", aliases="repeatinterleave repeatinterleaveintwithdim"),
    Op(name="topk", methods="topk"),
    Op(name="unbind", functions="__iter__"),
    Op(name="unique", ours=True, aliases="unique_dim unique2"),
)
