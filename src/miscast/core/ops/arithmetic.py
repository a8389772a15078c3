"""Arithmetic, comparisons and reductions."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="bitwise_left_shift", aliases="lshift"),
    Op(name="bitwise_right_shift", aliases="rshift"),
    Op(name="add", aliases="radd", methods="add add_"),
    Op(name="sub", schemas="rsub", aliases="subtract", functions="__rsub__", methods="sub sub_"),
    Op(name="mul", aliases="multiply", methods="mul mul_", frames="rotate_half apply_rotary rmsnorm rms_norm"),
    Op(name="div", aliases="divide true_divide", functions="__rdiv__ __rtruediv__", methods="div div_"),
    Op(name="floor_divide", functions="__rfloordiv__"),
    Op(name="pow", aliases="power", functions="__rpow__", methods="pow"),
    Op(name="addcmul", methods="addcmul addcmul_"),
    Op(name="addcdiv", methods="addcdiv addcdiv_"),
    Op(name="lerp_", ours=True, methods="lerp lerp_", arguments="end", frames="inplace_lerp",
       operands=("self", "end", "weight"), roles={"mat2": "activation", "weight": "activation"}),
    Op(name="clamp", aliases="clip", schemas="clamp_max clamp_min", methods="clamp clamp_"),
    Op(name="eq", functions="__contains__", methods="eq"),
    Op(name="min", frames="bbox_iou jaccard"),
    Op(name="sum", methods="sum"),
    Op(name="mean", methods="mean"),
    Op(name="cumsum", methods="cumsum"),
    Op(name="quantile", methods="quantile"),
    Op(name="item", aliases="local_scalar_dense"),
    Op(name="Tensor.numpy()", ours=True, functions="__array__ numpy", methods="numpy"),
    Op(name="elementwise", ours=True, arguments="other"),
)
