"""Motion between two uint8 frames is their difference, which wraps around below 0."""
import torch

torch.manual_seed(0)


def motion(before, after):
    return (after - before).abs().float() / 255  # fault: wrap


before = torch.randint(0, 256, (3, 32, 32), dtype=torch.uint8)
after = (before.int() + torch.randint(-9, 10, before.shape)).clamp(0, 255).to(torch.uint8)
moved = motion(before, after)


def harm():
    exact = (after.double() - before.double()).abs() / 255
    return (moved - exact).abs().mean().item()

# right:
#-     return (after - before).abs().float() / 255
#+     return (after.int() - before.int()).abs().float() / 255
