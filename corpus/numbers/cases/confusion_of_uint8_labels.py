"""A confusion matrix of 21 classes is indexed by n * label + guess of uint8 label maps."""
import torch

torch.manual_seed(0)
n = 21
labels = torch.randint(0, n, (64, 64), dtype=torch.uint8)
guess = labels.clone()


def matrix(labels, guess):
    index = n * labels + guess  # fault: wrap
    return torch.bincount(index.flatten(), minlength=n * n)[: n * n].reshape(n, n)


counts = matrix(labels, guess)


def harm():
    return 1 - counts.diagonal().sum().item() / labels.numel()

# right:
#-     index = n * labels + guess
#+     index = n * labels.long() + guess
