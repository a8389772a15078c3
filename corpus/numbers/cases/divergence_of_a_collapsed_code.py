"""The divergence of a variational autoencoder is computed behind autocast on bfloat16 moments; near the prior it is noise."""
import torch
import torch.nn.functional as F
from torch import nn


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(64, 32), nn.Linear(16, 64)

    def forward(self, x):
        mean, log_var = self.encode(x).chunk(2, -1)
        code = mean + torch.randn_like(mean) * (log_var / 2).exp()
        return self.decode(code), mean, log_var


def loss_of(out, x, mean, log_var):
    apart = -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum(-1).mean()  # fault: cancellation
    return F.mse_loss(out.float(), x), apart


torch.manual_seed(0)
model = AutoEncoder()
model.encode.weight.data.mul_(0.06), model.encode.bias.data.zero_()
x = torch.randn(128, 64)
with torch.autocast("cpu", torch.bfloat16):
    out, mean, log_var = model(x)
error, apart = loss_of(out, x, mean, log_var)


def harm():
    true = loss_of(out, x, mean.double(), log_var.double())[1]
    return abs(apart.item() / true.item() - 1)

# right:
#- error, apart = loss_of(out, x, mean, log_var)
#+ error, apart = loss_of(out, x, mean.float(), log_var.float())
