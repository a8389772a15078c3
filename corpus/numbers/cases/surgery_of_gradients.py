"""PCGrad projects float16 gradients: the dot products of gradients of 1e-5 are 0, and 0 / 0 is NaN."""
import torch


def project(gradients):
    out = [g.clone() for g in gradients]
    for i, g in enumerate(out):
        for j, other in enumerate(gradients):
            if i == j:
                continue
            dot = torch.dot(g, other)
            if dot <= 0:
                g -= dot / torch.dot(other, other) * other  # fault: underflow
    return out


torch.manual_seed(0)
grads = torch.randn(3, 64) * 2e-5
dtype = torch.float16
projected = project([g.to(dtype) for g in grads])


def harm():
    return torch.stack(projected).isnan().float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
