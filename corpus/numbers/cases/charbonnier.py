"""A Charbonnier loss in float16: its eps of 1e-9 is 0, and where nothing differs its gradient is NaN."""
import torch

torch.manual_seed(0)
picture = torch.rand(2, 3, 8, 8).half().requires_grad_()
goal = picture.detach().clone()
goal[1] += 0.25
loss = torch.sqrt((picture - goal).square() + 1e-9).mean()  # fault: eps-vanishes
loss.backward()


def harm():
    return picture.grad.isnan().float().mean().item()

# right:
#- loss = torch.sqrt((picture - goal).square() + 1e-9).mean()
#+ loss = torch.sqrt((picture - goal).float().square() + 1e-9).mean()
