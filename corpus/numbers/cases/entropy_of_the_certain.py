"""p * log(p) of a certain choice: 0 * -inf is NaN."""
import torch

labels = torch.tensor([0, 2, 1])
p = torch.nn.functional.one_hot(labels, 4).float()
entropy = -(p * torch.log(p)).sum(-1)  # fault: nan-mask


def harm():
    return entropy.isnan().float().mean().item()

# right:
#- entropy = -(p * torch.log(p)).sum(-1)
#+ entropy = -torch.special.xlogy(p, p).sum(-1)
