# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
attention = nn.MultiheadAttention(16, 4, batch_first=True).to(dev).bfloat16()
tokens = torch.randn(2, 5, 16, device=dev).bfloat16()
context = torch.randn(2, 7, 16, device=dev)
# fixed: context = torch.randn(2, 7, 16, device=dev).bfloat16()
out, _ = attention(tokens, context, context)  # finding: operand-dtype-mismatch linear input
