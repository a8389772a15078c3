"""A Dice loss in float16 with an eps of 1e-8: an empty mask that is found empty gives 0 / 0."""
import torch

torch.manual_seed(0)
found = (torch.rand(4, 1, 16, 16) > 0.5).half()
truth = (torch.rand(4, 1, 16, 16) > 0.5).half()
found[0], truth[0] = 0, 0
both = (found * truth).sum((1, 2, 3))
dice = (2 * both + 1e-8) / (found.sum((1, 2, 3)) + truth.sum((1, 2, 3)) + 1e-8)  # fault: eps-vanishes
loss = (1 - dice).mean()


def harm():
    return float(loss.isnan())

# right:
#- found = (torch.rand(4, 1, 16, 16) > 0.5).half()
#- truth = (torch.rand(4, 1, 16, 16) > 0.5).half()
#+ found = (torch.rand(4, 1, 16, 16) > 0.5).float()
#+ truth = (torch.rand(4, 1, 16, 16) > 0.5).float()
