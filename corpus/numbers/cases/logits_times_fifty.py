"""Contrastive logits of up to 50 in bfloat16 are multiples of 0.25; the cross entropy is taken of them."""
import torch
from torch import nn

torch.manual_seed(0)
pictures = nn.functional.normalize(torch.randn(64, 32), dim=-1)
texts = nn.functional.normalize(pictures + 0.5 * torch.randn(64, 32), dim=-1)
logits = 50 * pictures.bfloat16() @ texts.bfloat16().T
loss = nn.functional.cross_entropy(logits, torch.arange(64))  # fault: statistics-in-half


def harm():
    exact = 50 * pictures.double() @ texts.double().T
    right = nn.functional.cross_entropy(exact, torch.arange(64)).item()
    return abs(float(loss) - right)

# right:
#- logits = 50 * pictures.bfloat16() @ texts.bfloat16().T
#+ logits = 50 * pictures @ texts.T
