"""Gradient descent by hand in the bfloat16 of the weights: the step is below their spacing."""
import torch

torch.manual_seed(0)
matrix = torch.randn(8, 8).bfloat16().requires_grad_()  # fault: half-parameters-without-master
start = matrix.detach().clone()
inputs = torch.randn(32, 8)
for _ in range(10):
    error = (inputs.to(matrix.dtype) @ matrix).float().square().mean()
    error.backward()
    with torch.no_grad():
        matrix -= 1e-4 * matrix.grad
    matrix.grad = None


def harm():
    return (matrix == start).float().mean().item()

# right:
#- matrix = torch.randn(8, 8).bfloat16().requires_grad_()
#+ matrix = torch.randn(8, 8).requires_grad_()
