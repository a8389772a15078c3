# machine: a100
import torch
from torch import nn

critic = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 1)).cuda()


def penalty(real, fake):
    alpha = torch.rand(real.size(0), 1, 1, 1, device=real.device)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    gradients = torch.autograd.grad(  # finding: operand-device-mismatch mm self
        outputs=score,
        inputs=mixed,
        grad_outputs=torch.ones(score.size()),  # origin
        # fixed: grad_outputs=torch.ones_like(score),
        create_graph=True,
    )[0]
    return ((gradients.flatten(1).norm(2, dim=1) - 1) ** 2).mean()


images = torch.randn(2, 3, 8, 8, device="cuda")
penalty(images, torch.zeros_like(images)).backward()
