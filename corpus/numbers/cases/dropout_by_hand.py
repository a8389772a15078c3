"""A dropout by hand: a float32 mask makes float32 of bfloat16 features."""
import torch

torch.manual_seed(0)
features = torch.randn(32, 256).bfloat16()
keep = (torch.rand(32, 256) > 0.1).float() / 0.9
dropped = features * keep  # fault: widening
out = torch.tanh(dropped)


def harm():
    return out.nbytes / features.nbytes - 1

# right:
#- keep = (torch.rand(32, 256) > 0.1).float() / 0.9
#+ keep = (torch.rand(32, 256) > 0.1).bfloat16() / 0.9
