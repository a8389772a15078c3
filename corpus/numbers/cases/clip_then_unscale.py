"""An accumulation loop clips on the last micro-batch before the scaler has divided: weights hardly move."""
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def train(net, batches, every):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)
    for number, batch in enumerate(batches, 1):
        with torch.autocast("cpu", torch.float16):
            loss = (net(batch).float() - 1).pow(2).mean() / every
        scaler.scale(loss).backward()
        if number % every == 0:
            clip_grad_norm_(net.parameters(), 0.5)  # fault: scaler-misuse
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


torch.manual_seed(0)
net = nn.Linear(16, 4)
start = net.weight.detach().clone()
train(net, torch.randn(8, 4, 16), 2)


def harm():
    return 1.0 if (net.weight - start).abs().max() < 1e-3 else 0.0

# right:
#-             clip_grad_norm_(net.parameters(), 0.5)
#+             scaler.unscale_(optimizer), clip_grad_norm_(net.parameters(), 0.5)
