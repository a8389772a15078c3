"""Convolutions, and the patches that they are made of."""

from __future__ import annotations

from .op import Op

_OPERANDS = ("input", "weight", "bias")

OPS = (
    Op(name="conv1d", layers="temporalconvolution", modules="Conv1d", operands=_OPERANDS, layer=True),
    Op(name="conv2d", schemas="convolution thnn_conv2d slow_conv_dilated2d",
       aliases="conv slow_conv2d mkldnn_convolution conv2d_forward",
       begins="slow_conv2d conv_depthwise cudnn_convolution miopen_convolution unfolded2d",
       layers="spatialconvolutionmm spatialdilatedconvolution", modules="Conv2d", file="modules/conv.py",
       arguments="weight", operands=_OPERANDS, half_but_on_cpu=True, layer=True),
    Op(name="conv3d", schemas="slow_conv3d slow_conv_dilated3d", aliases="conv_depthwise3d",
       begins="slow_conv3d unfolded3d", layers="volumetricconvolution volumetricconvolutionmm", modules="Conv3d",
       operands=_OPERANDS, layer=True),
    Op(name="conv_transpose1d", modules="ConvTranspose1d", layer=True),
    Op(name="conv_transpose2d", schemas="slow_conv_transpose2d", begins="slow_conv_transpose",
       layers="spatialfullconvolution spatialfulldilatedconvolution", modules="ConvTranspose2d", layer=True),
    Op(name="conv_transpose3d", schemas="slow_conv_transpose3d", modules="ConvTranspose3d", layer=True),
    Op(name="unfold", schemas="im2col"),
    Op(name="fold", schemas="col2im"),
)
