# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.arange(24.0, device=dev).reshape(2, 3, 4)
v = x.transpose(0, 1)[..., ::2].unsqueeze(0).expand(2, -1, -1, -1)
x[0, 0, 0] = 100
assert v[0, 0, 0, 0].item() == 100 and x.view(-1).as_strided((2, 2), (4, 1)).shape == (2, 2)
a, b = x.chunk(2, -1)
a.add_(1), b.zero_()
assert x[0, 0, 3] == 0 and x[1, 0, 1] == 14
parts = x.unbind(1)
torch.stack(parts, 1).flatten().unfold(0, 4, 2)
assert x.half().view(torch.int16).dtype == torch.int16
x.permute(2, 0, 1).contiguous().narrow(0, 1, 2).select(1, 0).diagonal()
y = x.to(memory_format=torch.contiguous_format).detach().requires_grad_()
y[:, 1:].square().sum().backward()
assert y.grad.device == y.device and y.grad[:, 0].abs().sum() == 0
z = torch.nn.functional.pad(x, (1, 1)).roll(1, 0).flip(-1).repeat(1, 2, 1).tile(2)
