"""log(1 + exp(x)) in bfloat16 is 0 for x below -6."""
import torch

torch.manual_seed(0)
raw = (torch.randn(1000) - 8).bfloat16()
scale = torch.log(1 + torch.exp(raw))  # fault: cancellation


def harm():
    right = torch.nn.functional.softplus(raw.double())
    return ((scale.double() - right).abs() / right).mean().item()

# right:
#- scale = torch.log(1 + torch.exp(raw))
#+ scale = torch.nn.functional.softplus(raw.float())
