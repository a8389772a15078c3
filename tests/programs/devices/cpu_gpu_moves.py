# machine: v100
import torch

x = torch.arange(6.0).reshape(2, 3)
y = x.cuda()
assert y.is_cuda and not x.is_cuda and y.device.type == "cuda"
z = y.cpu()
assert z.tolist() == [[0, 1, 2], [3, 4, 5]]
assert y.to("cpu", torch.float16).dtype == torch.float16
w = torch.empty_like(x, device="cuda").copy_(x)
x.copy_(w)
assert w.to(x).device == x.device and x.type_as(w).is_cuda and w.new_zeros(3).is_cuda
assert y.to(torch.device("cuda"), non_blocking=True) is y and y.cuda() is y
assert torch.zeros_like(y).device == y.device and torch.tensor(1.0, device=y.device).is_cuda
print(y * x[0, 0], y + 1, z)
