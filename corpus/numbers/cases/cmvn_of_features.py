"""Cepstral mean and variance normalisation of bfloat16 log-mels takes the mean and the spread in bfloat16."""
import torch


def cmvn(features, eps=1e-5):
    mean = features.mean(1, keepdim=True)  # fault: statistics-in-half
    centred = features - mean
    spread = centred.square().mean(1, keepdim=True)
    return centred * torch.rsqrt(spread + eps)


torch.manual_seed(0)
level = -11.5 + torch.rand(4, 1, 40)
log_mel = (level + 0.15 * torch.randn(4, 300, 40)).bfloat16()
normal = cmvn(log_mel)


def harm():
    exact = cmvn(log_mel.double())
    return (normal.double().mean(1) - exact.mean(1)).abs().mean().item()

# right:
#- normal = cmvn(log_mel)
#+ normal = cmvn(log_mel.float()).bfloat16()
