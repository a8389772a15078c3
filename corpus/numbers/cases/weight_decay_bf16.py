"""Weight decay multiplies the bfloat16 weights by 1 - 1e-4: every product rounds back."""
import torch


def copy_stochastic(target, source):
    noise = torch.randint(0, 1 << 16, source.shape, dtype=torch.int32)
    bits = (source.view(torch.int32) + noise) & -65536
    target.copy_(bits.view(torch.float32))


def step(weight, gradient, lr=1e-3, decay=0.1):
    weight.mul_(1 - lr * decay)  # fault: half-parameters-without-master
    update = weight.float()
    update.add_(gradient.float(), alpha=-lr)
    copy_stochastic(weight, update)


torch.manual_seed(0)
weight = torch.randn(128, 128).bfloat16()
start = weight.clone()
for _ in range(1000):
    step(weight, 0.01 * torch.randn(128, 128))


def harm():
    left = ((weight.double() * start.double()).sum() / start.double().pow(2).sum()).item()
    right = (1 - 1e-4) ** 1000
    return float(abs(left - right) / (1 - right))

# right:
#- def step(weight, gradient, lr=1e-3, decay=0.1):
#-     weight.mul_(1 - lr * decay)
#-     update = weight.float()
#+ def step(weight, gradient, lr=1e-3, decay=0.1):
#+     update = weight.float()
#+     update.mul_(1 - lr * decay)
