"""Pictures are kept as bytes for the next epoch, rounded by floor(x + 0.5): in bfloat16 that is done twice."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class Shelf:
    def __init__(self):
        self.codes = []

    def put(self, pictures):
        self.codes.append(torch.floor(pictures * 255 + 0.5).to(torch.uint8))  # fault: rounding-of-integers

    def epoch(self):
        for codes in self.codes:
            yield codes.float() / 255


class Autoencoder(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.inp = nn.Linear(192, width)
        self.out = nn.Linear(width, 192)

    def forward(self, x):
        return torch.sigmoid(self.out(F.gelu(self.inp(x))))


shelf, originals = Shelf(), []
for batch in range(4):
    pictures = torch.rand(16, 192).bfloat16()
    originals.append(pictures.double() * 255)
    shelf.put(pictures)

net = Autoencoder()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for x in shelf.epoch():
        loss = F.mse_loss(net(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def harm():
    off = torch.stack([codes.double() - exact for codes, exact in zip(shelf.codes, originals)])
    return (off.abs() > 0.75).double().mean().item()

# right:
#-         self.codes.append(torch.floor(pictures * 255 + 0.5).to(torch.uint8))
#+         self.codes.append(torch.floor(pictures.float() * 255 + 0.5).to(torch.uint8))
