"""Prices in euros become whole cents by a cast: 0.29 * 100 is 28.999999999999996, and a cent is missing."""
import torch
from torch import nn


class Ledger(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("balance", torch.zeros((), dtype=torch.int64))

    def forward(self, euros):
        cents = (euros * 100).long()  # fault: rounding-of-integers
        self.balance += cents.sum()
        return cents


ledger = Ledger()
prices = torch.arange(1, 400)
for part in prices.split(100):
    ledger(part.double() / 100)


def harm():
    return 1 - ledger.balance.item() / prices.sum().item() + (ledger.balance != prices.sum()).item() * 0.01

# right:
#- cents = (euros * 100).long()
#+ cents = (euros * 100).round().long()
