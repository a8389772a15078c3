"""A focal loss takes the logarithm of a float16 sigmoid: for what the model is sure of it is infinite."""
import torch
from torch import nn


class Focal(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, target):
        chance = torch.sigmoid(logits)
        right = torch.where(target, chance, 1 - chance)
        return (-((1 - right) ** self.gamma) * torch.log(right)).mean()  # fault: underflow


torch.manual_seed(0)
logits = torch.rand(8, 16) * 24 - 12
target = logits < 0
loss = Focal()(logits.half(), target)


def harm():
    exact = Focal()(logits.double(), target).item()
    return min(abs(loss.item() / exact - 1), 10.0)

# right:
#- loss = Focal()(logits.half(), target)
#+ loss = Focal()(logits.float(), target)
