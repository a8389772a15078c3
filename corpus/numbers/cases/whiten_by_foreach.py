"""Layers' updates are divided by their roots by _foreach_div; the eps of 1e-10 is nothing in float16."""
import torch

torch.manual_seed(0)
eps = 1e-10
grads = [torch.randn(8, 4).half() * 0.01, torch.zeros(6).half(), torch.randn(3).half() * 0.02]
lengths = torch._foreach_norm(grads)
torch._foreach_add_(lengths, eps)  # fault: eps-vanishes
updates = torch._foreach_div(grads, lengths)


def harm():
    return sum(u.isnan().sum().item() for u in updates) / sum(u.numel() for u in updates)

# right:
#- eps = 1e-10
#+ eps = 1e-6
