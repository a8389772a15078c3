"""The chance to survive 2,000 days, as a cumulative product in bfloat16."""
import torch

hazard = torch.full((2000,), 0.0013)
survival = torch.cumprod((1 - hazard).to(torch.bfloat16), dim=0)  # fault: accumulate-in-half


def harm():
    exact = (1 - 0.0013) ** 2000
    return abs(survival[-1].item() / exact - 1)

# right:
#- survival = torch.cumprod((1 - hazard).to(torch.bfloat16), dim=0)
#+ survival = torch.cumprod(1 - hazard, dim=0)
