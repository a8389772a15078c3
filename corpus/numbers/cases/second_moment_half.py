"""A hand-written Adam keeps its second moment in the gradient's float16: a thousandth of a squared gradient of 1e-3 is 0."""
import torch

torch.manual_seed(0)
parameter = torch.randn(64, 32)
rate, beta1, beta2, eps = 1e-3, 0.9, 0.999, 1e-8
first = torch.zeros(64, 32)
second = torch.zeros(64, 32, dtype=torch.float16)
grads = (torch.randn(20, 64, 32) * 2e-3).half()
for step, grad in enumerate(grads, 1):
    first.lerp_(grad.float(), 1 - beta1)
    second.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)  # fault: underflow
    corrected = second.float() / (1 - beta2 ** step)
    update = first / (1 - beta1 ** step) / (corrected.sqrt() + eps)
    parameter -= rate * update


def harm():
    right = torch.zeros(64, 32, dtype=torch.float64)
    for grad in grads.double():
        right = right * beta2 + grad * grad * (1 - beta2)
    return ((second.double() - right).norm() / right.norm()).item()

# right:
#- second = torch.zeros(64, 32, dtype=torch.float16)
#+ second = torch.zeros(64, 32)
#-     second.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
#+     second.mul_(beta2).addcmul_(grad.float(), grad.float(), value=1 - beta2)
