"""The logit of a float16 probability: what sigmoid gives for 9 is rounded to 1, its logit is infinite."""
import torch

torch.manual_seed(0)
scores = (torch.randn(2000) * 4).half()
p = torch.sigmoid(scores)
logit = torch.log(p / (1 - p))  # fault: cancellation


def harm():
    return (~logit.isfinite()).float().mean().item()

# right:
#- p = torch.sigmoid(scores)
#+ p = torch.sigmoid(scores.double())
