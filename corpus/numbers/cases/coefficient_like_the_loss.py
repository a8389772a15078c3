"""A coefficient of 1e-8 takes the float16 of the features: it is 0, the penalty is never seen."""
import torch

torch.manual_seed(0)
features = (torch.randn(64, 64) * 50).half()
coefficient = torch.tensor(1e-8).to(features.dtype)  # fault: underflow
penalty = coefficient * features.float().square().sum()


def harm():
    right = 1e-8 * features.double().square().sum().item()
    return abs(float(penalty) / right - 1)

# right:
#- coefficient = torch.tensor(1e-8).to(features.dtype)
#+ coefficient = torch.tensor(1e-8)
