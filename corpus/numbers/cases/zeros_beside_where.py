"""torch.where between bfloat16 features and a float32 zero of one element gives float32."""
import torch

torch.manual_seed(0)
features = torch.randn(32, 256).bfloat16()
keep = torch.rand(32, 256) > 0.3
kept = torch.where(keep, features, torch.zeros(1))  # fault: widening
out = torch.relu(kept) + kept


def harm():
    return out.nbytes / features.nbytes - 1

# right:
#- kept = torch.where(keep, features, torch.zeros(1))
#+ kept = torch.where(keep, features, 0.0)
