"""An average of weights by its formula, entry by entry of a state dict, in float16: it does not move."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(16, 16).half()
average = {name: value.clone() for name, value in net.state_dict().items()}
start = average["weight"].clone()
with torch.no_grad():
    for value in net.parameters():
        value.add_(0.02)
for _ in range(60):
    for name, value in net.state_dict().items():
        average[name] = 0.9995 * average[name] + 0.0005 * value  # fault: state-in-half


def harm():
    way = (average["weight"].double() - start.double()).mean().item() / 0.02
    return abs(way - (1 - 0.9995 ** 60))

# right:
#- average = {name: value.clone() for name, value in net.state_dict().items()}
#+ average = {name: value.clone().float() for name, value in net.state_dict().items()}
