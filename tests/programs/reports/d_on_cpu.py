# machine: cpu
# real: cpu
# CPU autocast has no policy for layer norm: the verdict differs inside the region too.
import torch
from torch import nn

token, position = nn.Embedding(10, 8), nn.Embedding(4, 8).bfloat16()
norm = nn.LayerNorm(8).bfloat16()
hidden = token(torch.tensor([1, 2])) + position(torch.tensor([0, 1]))
# fixed: hidden = token.bfloat16()(torch.tensor([1, 2])) + position(torch.tensor([0, 1]))
with torch.autocast("cpu", dtype=torch.bfloat16):
    norm(hidden)  # finding: operand-dtype-mismatch layer_norm input
