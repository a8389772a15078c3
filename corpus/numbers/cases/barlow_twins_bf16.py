"""Embeddings are standardised and correlated in bfloat16."""
import torch


def standardize(z):
    return (z - z.mean(0)) / z.std(0)


def barlow_loss(z_a, z_b, weight=5e-3):
    corr = standardize(z_a).T @ standardize(z_b) / (z_a.shape[0] - 1)  # fault: statistics-in-half
    on_diagonal = (torch.diagonal(corr) - 1).square().sum()
    off_diagonal = (corr - torch.diag(torch.diagonal(corr))).square().sum()
    return on_diagonal, weight * off_diagonal


torch.manual_seed(0)
view = torch.randn(1024, 64)
z_a = view.to(torch.bfloat16)  # the projector ran under autocast
z_b = (view + 0.04 * torch.randn(1024, 64)).to(torch.bfloat16)
on_diagonal, off_diagonal = barlow_loss(z_a, z_b)


def harm():
    a, b = z_a.double(), z_b.double()
    a, b = (a - a.mean(0)) / a.std(0), (b - b.mean(0)) / b.std(0)
    right = ((a * b).sum(0) / 1023 - 1).square().sum().item()
    found = on_diagonal.item()
    return float(abs(found - right) / right)

# right:
#-     corr = standardize(z_a).T @ standardize(z_b) / (z_a.shape[0] - 1)
#+     corr = standardize(z_a.float()).T @ standardize(z_b.float()) / (z_a.shape[0] - 1)
