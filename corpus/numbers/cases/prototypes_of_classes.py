"""Prototypes follow their class by momentum 0.998 through index_copy_ in bfloat16: they stay where they began."""
import torch


class Prototypes:
    def __init__(self, classes, width, dtype, momentum=0.998):
        self.bank, self.momentum = torch.zeros(classes, width, dtype=dtype) + 1, momentum

    def update(self, label, features):
        old = self.bank[label]
        new = self.momentum * old + (1 - self.momentum) * features.to(old.dtype)  # fault: state-in-half
        self.bank.index_copy_(0, label, new)


torch.manual_seed(0)
bank = Prototypes(4, 8, torch.bfloat16)
for _ in range(100):
    bank.update(torch.arange(4), torch.randn(4, 8) * 0.1 + 2)


def harm():
    way = bank.bank.double().mean().item() - 1
    return abs(way / (1 - 0.998**100) - 1)

# right:
#- bank = Prototypes(4, 8, torch.bfloat16)
#+ bank = Prototypes(4, 8, torch.float32)
