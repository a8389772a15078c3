# machine: h100
# Transformer Engine where it is not installed: layers of one dtype, and regions of FP8.
import torch
import transformer_engine.pytorch as te
from transformer_engine.common import recipe

model = te.Linear(768, 3072, bias=True)
x = torch.randn(2048, 768, device="cuda")
with te.fp8_autocast(enabled=True, fp8_recipe=recipe.DelayedScaling(margin=0, fp8_format=recipe.Format.E4M3)):
    out = model(x)
assert out.shape == (2048, 3072) and out.dtype is torch.float32
out.sum().backward()
layer = te.TransformerLayer(64, 128, 4, 2, params_dtype=torch.bfloat16, activation="swiglu", normalization="RMSNorm")
hidden = torch.randn(16, 2, 64, device="cuda", dtype=torch.bfloat16)
assert layer(hidden).shape == (16, 2, 64) and layer(hidden).dtype is torch.bfloat16
layer(hidden).sum().backward()
assert all(p.grad is not None for p in layer.parameters())
assert te.LayerNorm(64)(hidden).dtype is torch.float32
with torch.autocast("cuda", torch.bfloat16):
    assert te.LayerNormLinear(64, 32)(hidden.float()).dtype is torch.bfloat16
try:
    with te.autocast():
        model(torch.randn(3, 768, device="cuda"))
except ValueError as error:
    refused = "divisible by 8" in str(error)
assert refused
try:
    with te.autocast(recipe=recipe.MXFP8BlockScaling()):
        pass
except AssertionError as error:
    lacks = "10.0 or higher" in str(error)
assert lacks
te.Linear(768, 8, bias=False)(x.half())  # finding: operand-dtype-mismatch Linear weight
