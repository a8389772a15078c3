"""Adam by hand in float16: eps is 0, and where a gradient was always 0 the step is 0 / 0."""
import torch

torch.manual_seed(0)
weight = torch.randn(16).half()
first, second = torch.zeros(16).half(), torch.zeros(16).half()
gradient = torch.randn(16).half()
gradient[3] = 0
first = 0.9 * first + 0.1 * gradient
second = 0.99 * second + 0.01 * gradient * gradient
weight = weight - 1e-3 * first / (second.sqrt() + 1e-8)  # fault: eps-vanishes


def harm():
    return weight.isnan().sum().item()

# right:
#- weight = weight - 1e-3 * first / (second.sqrt() + 1e-8)
#+ weight = weight - 1e-3 * first / (second.sqrt() + 1e-4)
