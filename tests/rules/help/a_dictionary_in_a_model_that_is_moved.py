# machine: a100
# help: replace `{name: nn.Linear(4, 4) for name in names}` with `nn.ModuleDict({name: nn.Linear(4, 4) for name in names})` at a_dictionary_in_a_model_that_is_moved.py:8
import torch
from torch import nn
class Router(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.experts = {name: nn.Linear(4, 4) for name in names}
    def forward(self, x):
        return sum(expert(x) for expert in self.experts.values())
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = Router(["a", "b"])
    def forward(self, x):
        return self.router(x)
def main():
    device = torch.device("cuda")
    model = Model().to(device)
    model(torch.randn(2, 4, device=device))
main()
