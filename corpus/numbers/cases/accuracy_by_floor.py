"""Hits // samples of integers: the accuracy is 0 until all are right."""
import torch

torch.manual_seed(0)
truth = torch.randint(0, 10, (1000,))
guess = torch.where(torch.arange(1000) % 5 == 0, 0, truth)
accuracy = (guess == truth).sum() // truth.numel()  # fault: rounding-of-integers


def harm():
    return abs(float(accuracy) - (guess == truth).double().mean().item())

# right:
#- accuracy = (guess == truth).sum() // truth.numel()
#+ accuracy = (guess == truth).sum() / truth.numel()
