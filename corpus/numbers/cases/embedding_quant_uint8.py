"""Embeddings outside of the calibrated range wrap around when they are cast to uint8."""
import torch


def calibrate(embeddings):
    return embeddings.min(dim=0).values, embeddings.max(dim=0).values


def quantize(embeddings, low, high):
    steps = (high - low) / 255
    return torch.round((embeddings - low) / steps).to(torch.uint8)  # fault: wrap


def dequantize(codes, low, high):
    return codes.float() * (high - low) / 255 + low


torch.manual_seed(0)
low, high = calibrate(torch.randn(200, 64))
corpus = torch.randn(5000, 64)
restored = dequantize(quantize(corpus, low, high), low, high)


def harm():
    right = torch.minimum(torch.maximum(corpus, low), high)
    error = (restored - right).abs().max().item()
    return float(error)

# right:
#-     return torch.round((embeddings - low) / steps).to(torch.uint8)
#+     return torch.round((embeddings - low) / steps).clamp(0, 255).to(torch.uint8)
