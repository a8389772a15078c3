"""Payments of a cent or two are added to a float32 balance of two million: nothing arrives."""
import torch


class Ledger:
    def __init__(self, opening):
        self.balance = torch.tensor(opening)

    def pay(self, amount):
        self.balance = self.balance + amount  # fault: accumulate-in-half


torch.manual_seed(0)
ledger = Ledger(2_500_000.0)
paid = 0.0
for _ in range(500):
    amount = float(torch.randint(1, 6, ())) / 100
    ledger.pay(amount)
    paid += amount


def harm():
    return abs((ledger.balance.item() - 2_500_000) / paid - 1)

# right:
#-         self.balance = torch.tensor(opening)
#+         self.balance = torch.tensor(opening, dtype=torch.float64)
