"""torch's AveragedModel of a bfloat16 network is bfloat16, too."""
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(0)
net = nn.Linear(16, 4)
average = AveragedModel(net.bfloat16(), multi_avg_fn=get_ema_multi_avg_fn(0.999))
average.update_parameters(net)
before = average.module.weight.detach().clone()
with torch.no_grad():
    net.weight.mul_(1.05)
for _ in range(50):
    average.update_parameters(net)  # fault: state-in-half


def harm():
    return (average.module.weight == before).float().mean().item()

# right:
#- average = AveragedModel(net.bfloat16(), multi_avg_fn=get_ema_multi_avg_fn(0.999))
#+ average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.999))
