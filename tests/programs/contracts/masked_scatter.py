# machine: a100
# real: cpu
# Image features written over the image tokens of a multimodal model.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
embed = nn.Embedding(100, 8).to(dev).bfloat16()
ids = torch.tensor([[1, 99, 99, 3]], device=dev)
features = torch.randn(2, 8, device=dev)  # origin
# fixed: features = torch.randn(2, 8, device=dev).bfloat16()
hidden = embed(ids)
mask = (ids == 99).unsqueeze(-1).expand_as(hidden)
hidden = hidden.masked_scatter(mask, features)  # finding: operand-dtype-mismatch masked_scatter source
print(hidden.shape)
