"""lr * gradient in float16 is 0 before it reaches the float32 weights."""
import torch

torch.manual_seed(0)
weights = torch.randn(100)
before = weights.clone()
gradient = (torch.randn(100) * 1e-4).half()
update = gradient * 1e-5  # fault: underflow
weights -= update.float() * 1000


def harm():
    return float((weights == before).float().mean())

# right:
#- update = gradient * 1e-5
#+ update = gradient.float() * 1e-5
