"""Normalizations. RMS norms of programs' own are told by what fails in them: a product."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="layer_norm", schemas="native_layer_norm", aliases="layer_normalization", begins="layernorm",
       kernels={"layernormkernelimplinternal": "cpu"}, modules="LayerNorm", file="modules/normalization.py",
       programs="layer_norm*", frames="fused_layer_norm layer_norm layernorm encode_text text_encoder clip whisper/",
       operands=("input", "weight", "bias"), half_but_on_cpu=True, layer=True),
    Op(name="group_norm", schemas="native_group_norm",
       aliases="group_normalization rowwise_moments_impl rowwisemomentsimpl",
       begins="groupnorm", modules="GroupNorm", programs="group_norm*", frames="group_norm resnet.py",
       layer=True),
    Op(name="batch_norm", schemas="native_batch_norm", aliases="batchnorm batch_normalization",
       begins="cudnn_batch_norm", layers="batchnormalization",
       modules="BatchNorm1d BatchNorm2d BatchNorm3d _BatchNorm SyncBatchNorm",
       file="modules/batchnorm.py", programs="batch_norm*", own_arguments="running_mean", arguments="weight#3",
       frames="batchnorm batch_norm", layer=True),
    Op(name="instance_norm", aliases="instance_normalization", modules="InstanceNorm1d InstanceNorm2d",
       file="modules/instancenorm.py"),
    Op(name="rms_norm", aliases="fused_rms_norm", begins="rmsnorm", modules="RMSNorm", layer=True),
    Op(name="fused_rms_norm", ours=True, frames="fused_rms_norm fused_rms_norm_affine"),
    Op(name="weight_norm", ours=True, aliases="weight_norm_interface"),
)
