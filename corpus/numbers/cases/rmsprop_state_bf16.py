"""A hand-written RMSProp keeps the running square of the gradient in bfloat16 to save memory."""
import torch


class RMSProp(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, alpha=0.999, eps=1e-6):
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["square"] = torch.zeros_like(p, dtype=torch.bfloat16)
                square = state["square"]
                alpha = group["alpha"]
                square.mul_(alpha).add_((1 - alpha) * p.grad.square())  # fault: state-in-half
                p.addcdiv_(p.grad, square.to(p.dtype).sqrt().add_(group["eps"]), value=-group["lr"])


torch.manual_seed(0)
reg = torch.nn.Linear(10, 1)
opt = RMSProp(reg.parameters())
x = torch.randn(64, 10)
y = x.sum(1, keepdim=True)
squares = []
for _ in range(300):
    opt.zero_grad()
    torch.nn.functional.mse_loss(reg(x), y).backward()
    squares.append(reg.weight.grad.double().square())
    opt.step()


def harm():
    right = torch.zeros(1, 10, dtype=torch.float64)
    for square in squares:
        right = 0.999 * right + 0.001 * square
    found = opt.state[reg.weight]["square"].double()
    error = ((found - right) / right).abs().max().item()
    return float(error)

# right:
#-                     state["square"] = torch.zeros_like(p, dtype=torch.bfloat16)
#+                     state["square"] = torch.zeros_like(p)
