"""The fourth moment of numbers of up to 60, in float16."""
import torch

torch.manual_seed(0)
samples = (torch.randn(1000) * 20).half()
moment = (samples**4).float().mean()  # fault: overflow


def harm():
    return float(moment.isinf())

# right:
#- moment = (samples**4).float().mean()
#+ moment = (samples.float() ** 4).mean()
