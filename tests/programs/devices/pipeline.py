# machine: 4xa100
# Model parallel by hand, as with a device map.
import torch
from torch import nn


class Pipeline(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList(nn.Linear(8, 8).to(f"cuda:{i}") for i in range(4))

    def forward(self, x):
        for stage in self.stages:
            x = torch.relu(stage(x.to(stage.weight.device)))
        return x


model = Pipeline()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
loss = model(torch.randn(2, 8)).mean()
loss.backward()
assert [p.grad.device.index for p in model.stages.parameters()] == [0, 0, 1, 1, 2, 2, 3, 3]
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
print(loss.item())
