"""clamp(max=1 - 1e-6) in bfloat16 clamps at 1: log(1 - p) is -inf."""
import torch

scores = torch.tensor([3.0, 12.0, -4.0, 0.5]).bfloat16()
chance = scores.sigmoid()
safe = chance.clamp(1e-6, 1 - 1e-6)  # fault: eps-vanishes
loss = -torch.log(1 - safe).mean()


def harm():
    return float(loss.isinf())

# right:
#- chance = scores.sigmoid()
#+ chance = scores.float().sigmoid()
