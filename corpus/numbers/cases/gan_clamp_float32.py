"""A probability is clamped to 1 - 1e-8, which is 1 in float32: log(1 - p) is still -inf."""
import torch
from torch import nn

EPS = 1e-8


class PatchDiscriminator(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, width, 4, stride=2, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(width, 1, 4, padding=1)
        )
        nn.init.normal_(self.net[2].weight, std=1.0)  # confident, as late in the training

    def forward(self, images):
        return self.net(images)


def d_loss(real_logit, fake_logit):
    real = torch.sigmoid(real_logit).clamp(EPS, 1 - EPS)
    fake = torch.sigmoid(fake_logit).clamp(EPS, 1 - EPS)  # fault: eps-vanishes
    return -torch.log(real).mean() - torch.log(1 - fake).mean()


torch.manual_seed(0)
disc = PatchDiscriminator()
real, fake = torch.randn(2, 8, 3, 32, 32).unbind(0)
real_logit, fake_logit = disc(real), disc(fake)
loss = d_loss(real_logit, fake_logit)


def harm():
    a, b = real_logit.detach().double(), fake_logit.detach().double()
    right = (nn.functional.softplus(-a).mean() + nn.functional.softplus(b).mean()).item()
    return float(abs(loss.item() - right))

# right:
#- import torch
#- from torch import nn
#-
#- EPS = 1e-8
#+ import torch
#+ import torch.nn.functional as F
#+ from torch import nn
#-     real = torch.sigmoid(real_logit).clamp(EPS, 1 - EPS)
#-     fake = torch.sigmoid(fake_logit).clamp(EPS, 1 - EPS)
#-     return -torch.log(real).mean() - torch.log(1 - fake).mean()
#+     return -F.logsigmoid(real_logit).mean() - F.logsigmoid(-fake_logit).mean()
