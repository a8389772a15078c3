"""Load_state_dict casts the float32 master weights of the optimizer to the dtype of the bfloat16 parameters."""
import copy
import torch
from torch import nn


class MasterSGD(torch.optim.Optimizer):
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "master" not in self.state[p]:
                    self.state[p]["master"] = p.detach().float().clone()
                self.state[p]["master"].sub_(p.grad.float(), alpha=group["lr"])
                p.copy_(self.state[p]["master"])


def train(net, optimizer, steps):
    for _ in range(steps):
        net.weight.grad = torch.ones_like(net.weight)
        optimizer.step()


torch.manual_seed(0)
net = nn.Linear(16, 16, bias=False, dtype=torch.bfloat16)
nn.init.ones_(net.weight)
optimizer = MasterSGD(net.parameters(), {"lr": 1e-4})
train(net, optimizer, 100)
saved = copy.deepcopy(optimizer.state_dict())
resumed = MasterSGD(net.parameters(), {"lr": 1e-4})
resumed.load_state_dict(saved)  # fault: state-in-half
train(net, resumed, 400)


def harm():
    way = 1.0 - resumed.state[net.weight]["master"].double().mean().item()
    return float(abs(way - 0.05) / 0.05)

# right:
#- resumed.load_state_dict(saved)
#+ resumed.load_state_dict(saved)
#+ resumed.state[net.weight]["master"] = saved["state"][0]["master"].clone()
