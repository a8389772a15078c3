"""The loss of matched boxes is a sum over how many matched; a picture without a match gives 0 / 0."""
import torch


def matched_loss(distance, matched):
    each = (distance * matched).sum(1)
    return (each / matched.sum(1)).mean()  # fault: nan-mask


torch.manual_seed(0)
distance = torch.rand(4, 6)
matched = torch.tensor([[1.0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1]])
loss = matched_loss(distance, matched)


def harm():
    return 0.0 if loss.isfinite() else 1.0

# right:
#-     return (each / matched.sum(1)).mean()
#+     return (each / matched.sum(1).clamp(min=1)).mean()
