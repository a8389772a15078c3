"""-(p * log(p + 1e-10)) of one-hot votes in float16: log of 0, times 0, is NaN."""
import torch

torch.manual_seed(0)
votes = torch.nn.functional.one_hot(torch.randint(0, 5, (32,)), 5)
p = votes.half()
eps = 1e-10
entropy = -torch.sum(p * torch.log(p + eps), dim=1)  # fault: eps-vanishes


def harm():
    return entropy.isnan().float().mean().item()

# right:
#- eps = 1e-10
#+ eps = 1e-6
