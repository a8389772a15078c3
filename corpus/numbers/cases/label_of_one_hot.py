"""The label of a bfloat16 one-hot row as sum(row * arange): classes behind 256 become their neighbours."""
import torch
import torch.nn.functional as F


def to_index(one_hot):
    ids = torch.arange(one_hot.shape[-1], device=one_hot.device).to(one_hot.dtype)  # fault: index-in-half
    return (one_hot * ids).sum(-1).long()


torch.manual_seed(0)
labels = torch.randint(0, 1000, (200,))
dtype = torch.bfloat16
found = to_index(F.one_hot(labels, 1000).to(dtype))


def harm():
    return (found != labels).float().mean().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
