"""Weights of classes take the dtype of the labels: all weights below 1 are 0."""
import torch

torch.manual_seed(0)
labels = torch.randint(0, 4, (100,))
losses = torch.rand(100)
weights = torch.tensor([0.2, 0.7, 0.5, 0.9]).to(labels.dtype)[labels]  # fault: rounding-of-integers
loss = (losses * weights).sum() / 100


def harm():
    right = (losses * torch.tensor([0.2, 0.7, 0.5, 0.9])[labels]).sum().item() / 100
    return abs(loss.item() / right - 1)

# right:
#- weights = torch.tensor([0.2, 0.7, 0.5, 0.9]).to(labels.dtype)[labels]
#+ weights = torch.tensor([0.2, 0.7, 0.5, 0.9]).to(losses.dtype)[labels]
