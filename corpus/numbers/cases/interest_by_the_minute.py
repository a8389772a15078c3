"""A balance in float32 grows by 1 + rate each minute: with rates of some 1e-8 that factor is 1, and nothing is paid."""
import torch
from torch import nn

MINUTES = 365 * 24 * 60


class Account(nn.Module):
    def __init__(self, balance, yearly):
        super().__init__()
        self.register_buffer("balance", balance)
        self.register_buffer("rate", yearly / MINUTES)

    def forward(self):
        self.balance = self.balance * (1 + self.rate)  # fault: state-in-half


def grown(dtype):
    torch.manual_seed(0)
    balance = 100 + 5000 * torch.rand(32, dtype=torch.float64)
    yearly = 0.005 + 0.02 * torch.rand(32, dtype=torch.float64)
    account = Account(balance.to(dtype), yearly.to(dtype))
    for _ in range(200):
        account()
    return balance, account.balance


before, after = grown(torch.float32)


def harm():
    exact = grown(torch.float64)[1]
    return float((after.double() - exact).abs().sum() / (exact - before).abs().sum())

# right:
#- before, after = grown(torch.float32)
#+ before, after = grown(torch.float64)
