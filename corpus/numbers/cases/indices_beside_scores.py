"""Indices travel in one float16 tensor beside their scores, and come back as others."""
import torch

torch.manual_seed(0)
scores, indices = torch.randn(4, 30000).half().topk(16)
packed = torch.stack([scores, indices.to(scores.dtype)])  # fault: index-in-half
chosen = packed[1].long()


def harm():
    return (chosen != indices).float().mean().item()

# right:
#- packed = torch.stack([scores, indices.to(scores.dtype)])
#- chosen = packed[1].long()
#+ packed = torch.stack([scores.double(), indices.double()])
#+ chosen = packed[1].long()
