"""The variance of a feature is E[x^2] - E[x]^2 in float32: a bin at the log floor cancels to 0."""
import torch


def normalize_per_feature(mel):
    mean = mel.mean(dim=0, keepdim=True)
    variance = ((mel ** 2).mean(dim=0, keepdim=True) - mean ** 2).clamp(min=0)  # fault: cancellation
    return (mel - mean) / (variance.sqrt() + 1e-5)


torch.manual_seed(0)
mel = -8 + 3 * torch.randn(400, 80)
mel[:, 64:] = torch.linspace(-15.95, -15.90, 16)
mel[17, 64:] += 0.05
features = normalize_per_feature(mel)


def harm():
    deviation = mel.double() - mel.double().mean(dim=0)
    right = deviation / (deviation.pow(2).mean(dim=0).sqrt() + 1e-5)
    error = (features.double() - right).abs().max().item()
    return float(error)

# right:
#-     variance = ((mel ** 2).mean(dim=0, keepdim=True) - mean ** 2).clamp(min=0)
#+     variance = ((mel - mean) ** 2).mean(dim=0, keepdim=True)
