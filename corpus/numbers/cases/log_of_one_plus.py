"""log(1 + x) of small x in bfloat16 is 0; log1p is not."""
import torch

torch.manual_seed(0)
returns = (torch.rand(64) * 2e-3).bfloat16()
growth = torch.log(1 + returns)  # fault: cancellation


def harm():
    exact = returns.double().log1p()
    return ((growth.double() - exact).norm() / exact.norm()).item()

# right:
#- growth = torch.log(1 + returns)
#+ growth = torch.log1p(returns)
