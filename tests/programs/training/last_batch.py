# machine: v100
# Gradients are accumulated over more batches than a check takes: the last batch of the loop steps, too.
import torch
from torch.utils.data import DataLoader

loader = DataLoader(torch.randn(40, 8), batch_size=4)
assert len(loader) == 10
model = torch.nn.Linear(8, 2).cuda().half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
stepped = 0
for step, batch in enumerate(loader):
    scaler.scale(model(batch.cuda().half()).float().sum()).backward()
    if (step + 1) % 4 == 0 or step == len(loader) - 1:
        scaler.step(optimizer)  # finding: unscale-fp16-gradients GradScaler.unscale_ param
        scaler.update()
        optimizer.zero_grad()
        stepped += 1
assert stepped == 1
assert len(loader) == 10

batches = iter(loader)  # as accelerate: a batch is read ahead, to know which is the last
batch, count, last = next(batches), 0, False
while True:
    following = next(batches, None)
    last = following is None
    assert last == (count == len(loader) - 1)
    if last:
        break
    batch, count = following, count + 1
