"""A confusion matrix' flat places are computed in the labels' own uint8: 19 classes wrap at 256."""
import torch


class Confusion:
    def __init__(self, classes):
        self.classes = classes
        self.counts = torch.zeros(classes * classes, dtype=torch.long)

    def add(self, target, guess):
        flat = target * self.classes + guess  # fault: wrap
        self.counts += torch.bincount(flat.flatten().long(), minlength=self.classes ** 2)[: self.classes ** 2]


torch.manual_seed(0)
labels = torch.randint(0, 19, (2, 16, 16), dtype=torch.uint8)
matrix = Confusion(19)
matrix.add(labels, labels)


def harm():
    counts = matrix.counts.view(19, 19)
    return 1 - counts.diag().sum().item() / counts.sum().item()

# right:
#-         flat = target * self.classes + guess
#+         flat = target.long() * self.classes + guess
