# machine: v100
import torch
from torch import nn


def main():
    device = "cuda"
    masks = torch.randint(0, 4, (8, 6))
    net = nn.Linear(6, 4).to(device)
    counts = masks.flatten().bincount(minlength=4)
    criterion = nn.CrossEntropyLoss(weight=1.0 / counts.clamp(min=1).float())
    for begin in (0, 4):
        y = masks[begin : begin + 4, 0].to(device)
        criterion(net(torch.rand(4, 6, device=device)), y).backward()


main()

# fixed:
#-     criterion = nn.CrossEntropyLoss(weight=1.0 / counts.clamp(min=1).float())
#+     criterion = nn.CrossEntropyLoss(weight=1.0 / counts.clamp(min=1).float()).to(device)
