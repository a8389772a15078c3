"""The determinant of thin splats' covariances, a * c - b * b, in float16: it is rounding, some splats are inverted."""
import torch


def conics(cov):
    a, b, c = cov[:, 0, 0], cov[:, 0, 1], cov[:, 1, 1]
    det = a * c - b * b  # fault: cancellation
    inv = torch.stack([c, -b, a], -1) / det.clamp(min=1e-4).unsqueeze(-1)
    return inv, det


torch.manual_seed(0)
angle = torch.rand(200) * 3.14
direction = torch.stack([angle.cos(), angle.sin()], -1)
cov = 20 * direction[:, :, None] * direction[:, None] + 0.02 * torch.eye(2)
inv, det = conics(cov.half())


def harm():
    return (det.double() / (20.02 * 0.02) - 1).abs().mean().item()

# right:
#- inv, det = conics(cov.half())
#+ inv, det = conics(cov)
