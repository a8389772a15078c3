# machine: 2xa100
# help: cast `emb(torch.tensor([1, 2], device="cuda"))` at weights_that_are_rounded.py:8: .to(torch.bfloat16)
# or: replace `nn.Embedding(4, 4).to("cuda")` with `nn.Embedding(4, 4).to("cuda", torch.bfloat16)` at weights_that_are_rounded.py:6
import torch
from torch import nn
emb = nn.Embedding(4, 4).to("cuda")
norm = nn.LayerNorm(4).to("cuda", torch.bfloat16)
norm(emb(torch.tensor([1, 2], device="cuda")))
