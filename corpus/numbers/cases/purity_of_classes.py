"""A table of class by cluster grows by scatter_reduce of bfloat16 ones over the batches of an epoch."""
import torch


class Purity:
    def __init__(self, clusters, classes, dtype):
        self.table = torch.zeros(clusters * classes, dtype=dtype)
        self.classes = classes

    def update(self, assigned, labels):
        flat = assigned * self.classes + labels
        ones = torch.ones(flat.shape, dtype=self.table.dtype)
        self.table = self.table.scatter_reduce(0, flat, ones, reduce="sum")  # fault: accumulate-in-half


torch.manual_seed(0)
purity = Purity(2, 2, torch.bfloat16)
for _ in range(60):
    assigned = torch.randint(0, 2, (512,))
    purity.update(assigned, torch.where(torch.rand(512) < 0.95, assigned, 1 - assigned))


def harm():
    return abs(purity.table.double().sum().item() / (60 * 512) - 1)

# right:
#- purity = Purity(2, 2, torch.bfloat16)
#+ purity = Purity(2, 2, torch.int64)
