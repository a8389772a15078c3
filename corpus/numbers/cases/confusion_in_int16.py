"""Segmentation with a confusion matrix that is collected over the validation set."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
CLASSES = 3


class Confusion:
    def __init__(self):
        self.counts = torch.zeros(CLASSES * CLASSES, dtype=torch.int16)

    def update(self, guess, label):
        place = (label * CLASSES + guess).flatten()
        self.counts.index_put_((place,), torch.ones_like(place, dtype=self.counts.dtype), accumulate=True)  # fault: wrap

    def iou(self):
        table = self.counts.view(CLASSES, CLASSES).double()
        both = table.diagonal()
        return both / (table.sum(0) + table.sum(1) - both)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(1, 8, 3, padding=1)
        self.two = nn.Conv2d(8, CLASSES, 1)

    def forward(self, x):
        return self.two(F.relu(self.one(x)))


def images(count):
    label = torch.zeros(count, 32, 32, dtype=torch.long)
    label[:, 4:20, 4:20] = 1
    label[:, 10:30, 22:30] = 2
    return label[:, None].float() + 0.3 * torch.randn(count, 1, 32, 32), label


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(20):
    x, label = images(8)
    loss = F.cross_entropy(net(x), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
confusion = Confusion()
with torch.no_grad():
    for batch in range(40):
        x, label = images(16)
        confusion.update(net(x).argmax(1), label)


def harm():
    return abs(confusion.counts.double().sum().item() / (40 * 16 * 32 * 32) - 1)

# right:
#-         self.counts = torch.zeros(CLASSES * CLASSES, dtype=torch.int16)
#+         self.counts = torch.zeros(CLASSES * CLASSES, dtype=torch.int64)
