"""The ops that torchvision compiles: boxes, regions, deformable convolution."""

from __future__ import annotations

from .contract import Contract

_SOURCE = "torchvision 0.29.1: its _C.so has these kernels for CUDA in float, double and half, in no other dtype"
_KERNELS = ("float32", "float64", "float16")
_REGIONS = ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool")


def _cuda(op: str, operands: tuple[str, ...], kernel: str) -> Contract:
    return Contract(
        ops=(f"torchvision.{op}",),
        same=(operands,),
        kernels=_KERNELS,
        on=("cuda",),
        errors={("kernels",): f"\"{kernel}\" not implemented for '{{{operands[0]}}}'"},
        source=_SOURCE,
    )


CONTRACTS = (
    _cuda("nms", ("dets", "scores"), "nms_kernel"),
    *(_cuda(op, ("input", "rois"), f"{op}_forward_kernel_impl") for op in _REGIONS),
    _cuda(
        "deform_conv2d",
        ("input", "weight", "offset", "mask", "bias"),
        "deformable_im2col",
    ),
)
