"""Squared distances of a triplet loss in float16: features of 60 over 256 dimensions give 100,000."""
import torch


def triplet(anchor, near, far, margin=1.0):
    close = torch.einsum("bd,bd->b", anchor - near, anchor - near)  # fault: overflow
    away = torch.einsum("bd,bd->b", anchor - far, anchor - far)
    return torch.relu(close - away + margin).mean()


torch.manual_seed(0)
cast = torch.Tensor.half
anchor = torch.randn(8, 256) * 20
near, far = anchor + torch.randn(8, 256), torch.randn(8, 256) * 20
loss = triplet(*map(cast, (near, far, anchor)))


def harm():
    exact = triplet(near.double(), far.double(), anchor.double()).item()
    return abs(loss.item() / exact - 1) if loss.isfinite() else 1.0

# right:
#- cast = torch.Tensor.half
#+ cast = torch.Tensor.float
