"""Cosine distance 1 - cos of nearly equal faces in float16, and a threshold of 0.0004 on it."""
import torch
from torch.nn.functional import cosine_similarity

torch.manual_seed(0)
face = torch.randn(200, 128)
again = face + torch.randn(200, 128) * 0.028
dtype = torch.float16
distance = 1 - cosine_similarity(face.to(dtype), again.to(dtype))  # fault: cancellation
same = distance < 4e-4


def harm():
    exact = 1 - cosine_similarity(face.double(), again.double())
    return (same != (exact < 4e-4)).float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
