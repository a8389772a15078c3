"""Resizing, padding and pooling."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="interpolate", aliases="upsample_nearest_exact2d resize resize_d", begins="upsample_ compute_ind",
       schemas="upsample upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d "
       "upsample_bilinear2d upsample_bicubic2d upsample_trilinear3d",
       kernels={"compute_index_ranges_weights": "cpu"}, layers="spatialupsamplingnearest spatialupsamplingbilinear",
       modules="Upsample", file="modules/upsampling.py"),
    Op(name="grid_sample", schemas="grid_sampler grid_sampler_2d grid_sampler_3d", aliases="cudnn_grid_sampler",
       begins="grid_sampler", layers="spatialgridsamplerbilinear", own_arguments="grid"),
    Op(name="pad", begins="reflection_pad replication_pad", file="modules/padding.py",
       schemas="constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d "
       "replication_pad1d replication_pad2d replication_pad3d"),
    Op(name="max_pool2d", aliases="max_pool max_pool2d_with_indices max_pool_with_argmax max_pool_with_argmax_v1",
       layers="spatialmaxpooling spatialdilatedmaxpooling", file="modules/pooling.py"),
    Op(name="avg_pool2d", aliases="avg_pool2d_out", layers="spatialaveragepooling"),
)
