# machine: 2xv100
import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        q = self.linear(x).view(x.size(0), 4, 2, 4).transpose(1, 2)
        y = torch.nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.1)
        weights = torch.softmax(y.sum(-1), -1)
        return (y * weights[..., None]).transpose(1, 2).reshape_as(x)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


net = torch.nn.DataParallel(Net().cuda())
loss = net(torch.randn(4, 4, 8, device="cuda")).pow(2).mean()
loss.backward()
assert net.module.blocks[0].linear.weight.grad.device == torch.device("cuda:0")
