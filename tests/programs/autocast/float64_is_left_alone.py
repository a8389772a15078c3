# machine: a100
# Autocast casts the float32 output of a LayerNorm for `bmm`, and leaves float64 alone: the cast to double is to blame.
import torch

layer = torch.nn.LayerNorm(8).to("cuda")
mask = torch.ones(4, 6, dtype=torch.long, device="cuda")
x = torch.randn(4, 6, 8, device="cuda")
with torch.autocast("cuda"):
    hidden = layer(x)
    mask = mask.double()  # origin
    pooled = torch.bmm(mask.unsqueeze(1), hidden)  # finding: operand-dtype-mismatch bmm self
