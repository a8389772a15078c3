# machine: v100
import torch
from torch import nn


def model_dtype(switches):
    return torch.bfloat16 if "bf16" in switches else torch.float32


def scaled(image, switches):
    """Without this cast the number makes it float32, whatever the model is."""
    return image.to(torch.bfloat16 if "bf16" in switches else torch.float16) / 127.5 - 1


switches = []
net = nn.Conv2d(3, 8, 2, 2).to("cuda", model_dtype(switches))
other = nn.Conv2d(3, 8, 2, 2).to("cuda", torch.float16)
for parameter in other.parameters():
    if parameter.ndim == 1:
        parameter.data = parameter.data.float()
images = torch.randint(0, 256, (2, 3, 8, 8), device="cuda", dtype=torch.uint8)
net(scaled(images, switches))
other(scaled(images, switches))

# fixed:
#-         parameter.data = parameter.data.float()
#+         pass
#- net(scaled(images, switches))
#+ net(scaled(images, switches).to(model_dtype(switches)))
