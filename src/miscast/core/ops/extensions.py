"""Ops of extensions that are compiled, torchvision's among them."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="nms", ours=True, begins="nms_",
       functions="nms batched_nms _batched_nms_vanilla _batched_nms_coordinate_trick",
       programs="batched_nms multiclass_nms nms soft_nms nms_match"),
    Op(name="roi_align", ours=True, begins="roi_align roialign", compiled=True, own_arguments="rois",
       frames="roi_align"),
    Op(name="roi_pool", ours=True, begins="roi_pool", compiled=True),
    Op(name="deform_conv", ours=True, begins="modulated_deform deform dcn", compiled=True, own_arguments="offset"),
    Op(name="ms_deform_attn", ours=True, aliases="msda_forward", begins="ms_deform multi_scale_deform", compiled=True),
    Op(name="bias_act", ours=True, begins="bias_act", compiled=True),
    Op(name="upfirdn2d", ours=True, begins="upfirdn2d", compiled=True),
    Op(name="grid_encode", ours=True, begins="grid_encod", compiled=True),
    Op(name="selective_scan", ours=True, begins="selective_scan", compiled=True),
    Op(name="causal_conv1d", ours=True, begins="causal_conv1d", compiled=True),
)
