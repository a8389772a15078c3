"""Prices in cents are multiplied by quantities in float16: 900 times 90 is infinite, and so is the basket."""
from dataclasses import dataclass

import torch


@dataclass
class Basket:
    price: torch.Tensor
    amount: torch.Tensor

    def total(self):
        return (self.price * self.amount).float().sum() / 100  # fault: overflow


torch.manual_seed(0)
dtype = torch.float16
basket = Basket(torch.tensor([900.0, 120.0, 45.0]).to(dtype), torch.tensor([90.0, 3.0, 10.0]).to(dtype))
total = basket.total()


def harm():
    return 1.0 if total.isinf() else abs(total.item() / 818.1 - 1)

# right:
#- dtype = torch.float16
#+ dtype = torch.float64
