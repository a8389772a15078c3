"""The inverse of softplus as log(exp(y) - 1): exp(150) is infinite in float32, and so is the bias."""
import torch
from torch import nn
import torch.nn.functional as F


class PoissonHead(nn.Module):
    """Predicts rates; starts at the mean of the training counts."""

    def __init__(self, fan_in, mean_counts):
        super().__init__()
        self.linear = nn.Linear(fan_in, len(mean_counts))
        nn.init.zeros_(self.linear.weight)
        with torch.no_grad():
            self.linear.bias.copy_(torch.log(torch.exp(mean_counts) - 1))  # fault: overflow

    def forward(self, x):
        return F.softplus(self.linear(x))


torch.manual_seed(0)
mean_counts = torch.tensor([0.02, 1.5, 12.0, 150.0])
head = PoissonHead(16, mean_counts)
rates = head(torch.randn(32, 16))


def harm():
    error = ((rates - mean_counts).abs() / mean_counts).max().item()
    return float(error)

# right:
#-             self.linear.bias.copy_(torch.log(torch.exp(mean_counts) - 1))
#+             self.linear.bias.copy_(mean_counts + torch.log(-torch.expm1(-mean_counts)))
