"""What is run while Miscast fails: a training, mistakes of devices, a graph of modules. The first line of each errs."""

TRAINING = """
import torch
first = torch.ones(2, 3).half() @ torch.ones(3, 2)
from torch.utils.data import DataLoader, TensorDataset
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 4))
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler(device)
data = TensorDataset(torch.randn(16, 8), torch.randint(0, 4, (16,)))
for x, y in DataLoader(data, batch_size=4, shuffle=True):
    x, y = x.to(device), y.to(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    print(loss.item(), y.tolist())
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pt")
model.load_state_dict(torch.load("checkpoint.pt", map_location=device)["model"])
mask = x > 0
picked = x[mask].sum().item()
"""

DEVICES = """
import torch
first = torch.ones(2, 3).half() @ torch.ones(3, 2)
device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
x = torch.randn(4, 4, device=device)
bias = torch.zeros(4)
y = x + bias
z = torch.cat([y, torch.ones(1, 4)])
table = torch.nn.Embedding(10, 4)
out = table(torch.tensor([1, 2], device=device))
h = x.half()
w = torch.ones(4, 4, device=device)
h.copy_(w)
q = torch.mm(h, w)
n = x.cpu().numpy()
x[:, 0] = torch.arange(4)
torch.nn.functional.layer_norm(h, (4,), torch.ones(4), torch.zeros(4))
c = torch.nn.Conv2d(3, 3, 3).half()
c(torch.randn(1, 3, 8, 8))
g = torch.Generator(device=device)
torch.rand(2, generator=g, device=device)
torch.full((2,), 1e6).half().masked_fill(torch.tensor([True, False]), -1e9)
s = torch.cuda.memory_allocated() if torch.cuda.is_available() else 0
"""

GRAPH = """
import copy
import torch
first = torch.ones(2, 3).half() @ torch.ones(3, 2)
from torch.utils.checkpoint import checkpoint
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = torch.nn.LayerNorm(8)
        self.register_buffer("scale", torch.ones(8))
    def forward(self, x):
        y, _ = self.attention(x, x, x)
        return self.norm(x + y) * self.scale
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([Block(), Block()])
        self.head = torch.nn.Linear(8, 2)
    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x.mean(1))
net = Net().bfloat16()
ema = copy.deepcopy(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x = torch.randn(2, 5, 8)
net.float()(x).sum().backward()
opt.step()
with torch.no_grad():
    ema(x)
"""

PROGRAMS = {"training": TRAINING, "devices": DEVICES, "graph": GRAPH}
