"""Row statistics of a factored optimizer are kept in bfloat16 with a decay of 0.999: they never fall."""
import torch


class Factored(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, decay=0.999, dtype=torch.bfloat16):
        super().__init__(params, dict(lr=lr, decay=decay))
        self.dtype = dtype

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["rows"] = torch.ones(p.shape[0], dtype=self.dtype)
                rows = state["rows"]
                rows.mul_(group["decay"]).add_(p.grad.square().mean(1).to(rows.dtype), alpha=1 - group["decay"])  # fault: state-in-half
                p.sub_(p.grad / rows.float().sqrt().clamp_min(1e-3)[:, None], alpha=group["lr"])


torch.manual_seed(0)
net = torch.nn.Linear(16, 4)
optimizer = Factored([net.weight])
for _ in range(200):
    net.weight.grad = torch.randn(4, 16) * 1e-3
    optimizer.step()


def harm():
    return abs(optimizer.state[net.weight]["rows"].float().mean().item() / 0.999**200 - 1)

# right:
#-     def __init__(self, params, lr=1e-3, decay=0.999, dtype=torch.bfloat16):
#+     def __init__(self, params, lr=1e-3, decay=0.999, dtype=torch.float32):
