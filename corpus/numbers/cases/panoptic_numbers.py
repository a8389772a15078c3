"""Numbers of segments, class * 1000 + instance, of uint8 classes wrap."""
import torch

torch.manual_seed(0)
classes = torch.randint(0, 100, (16, 16), dtype=torch.uint8)
instance = torch.randint(0, 20, (16, 16))
segment = classes * 1000 + instance  # fault: wrap


def harm():
    return (segment != classes.long() * 1000 + instance).float().mean().item()

# right:
#- segment = classes * 1000 + instance
#+ segment = classes.long() * 1000 + instance
