# machine: v100
# The hook moves the module in forward; a direct call of another method passes it by.
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, 4)

    def forward_features(self, x):
        return self.patch(x).flatten(2)  # finding: operand-device-mismatch conv2d weight

    def forward(self, x):
        return self.forward_features(x).mean(-1)


tower = Tower().half()
tower.register_forward_pre_hook(lambda m, args: m.cuda() and None)
features = tower.forward_features(torch.rand(1, 3, 8, 8, device="cuda", dtype=torch.float16))
# fixed: features = tower(torch.rand(1, 3, 8, 8, device="cuda", dtype=torch.float16))
