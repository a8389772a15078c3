"""Indices of neighbours are made with the dtype of the distances, bfloat16 under AMP, and alias from 256 on."""
import torch

torch.manual_seed(0)


def neighbours(distances, k=8):
    length = distances.shape[-1]
    index = torch.arange(length, dtype=distances.dtype).expand_as(distances)  # fault: index-in-half
    near = distances.topk(k, largest=False).indices
    return index.gather(-1, near).long()


x = torch.randn(500, 3)
found = neighbours(torch.cdist(x, x).bfloat16())


def harm():
    return 1 - sum(len(set(row)) for row in found.tolist()) / found.numel()

# right:
#-     index = torch.arange(length, dtype=distances.dtype).expand_as(distances)
#+     index = torch.arange(length).expand_as(distances)
