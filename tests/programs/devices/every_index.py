# machine: 8xh100
import torch

devices = [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
parts = [torch.full((4,), float(i), device=d) for i, d in enumerate(devices)]
assert [p.device.index for p in parts] == list(range(8))
total = sum(p.to(devices[-1]) for p in parts)
assert total.get_device() == 7 and total.is_cuda
with torch.cuda.device(3):
    assert torch.zeros(1, device="cuda").device.index == 3
    assert torch.zeros(1).cuda().device.index == 3
torch.cuda.set_device(5)
assert torch.cuda.current_device() == 5 and torch.ones(2).cuda().device == torch.device("cuda:5")
gathered = torch.stack([p.cuda() for p in parts])
print(gathered.shape, total.cpu().tolist())
