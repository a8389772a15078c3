"""A confusion matrix takes one number at many places at once, and no cell of float16 counts beyond 2048."""
import torch
from torch import nn

CLASSES = 3


class Confusion:
    def __init__(self, classes, dtype):
        self.cells = torch.zeros(classes, classes, dtype=dtype)

    def update(self, predicted, target):
        one = torch.ones((), dtype=self.cells.dtype)
        self.cells.index_put_((target.flatten(), predicted.flatten()), one, accumulate=True)  # fault: accumulate-in-half

    def hits(self):
        return self.cells.double().diagonal().sum()


def batches(count, n=4, size=48):
    generator = torch.Generator().manual_seed(9)
    for _ in range(count):
        target = (torch.rand(n, size, size, generator=generator) * CLASSES).long()
        yield target[:, None].float() + 0.2 * torch.randn(n, 1, size, size, generator=generator), target


torch.manual_seed(0)
net = nn.Conv2d(1, CLASSES, 1)
with torch.no_grad():
    net.weight.copy_(torch.tensor([0.0, 1.0, 2.0]).view(3, 1, 1, 1))
    net.bias.copy_(torch.tensor([0.0, -0.5, -2.0]))
table, seen, right = Confusion(CLASSES, torch.float16), 0, 0
with torch.no_grad():
    for image, target in batches(6):
        predicted = net(image).argmax(1)
        table.update(predicted, target)
        seen += target.numel()
        right += int((predicted == target).sum())


def harm():
    return abs(table.hits().item() - right) / seen

# right:
#- table, seen, right = Confusion(CLASSES, torch.float16), 0, 0
#+ table, seen, right = Confusion(CLASSES, torch.float32), 0, 0
