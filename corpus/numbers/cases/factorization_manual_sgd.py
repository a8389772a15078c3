"""The factors of a matrix factorisation are float16 and updated in place by lr times gradient."""
import torch

torch.manual_seed(0)
ratings = torch.rand(60, 40) * 4 + 1
mask = torch.rand(60, 40) < 0.3
lr, rank = 2e-3, 8
users = (torch.rand(60, rank) * 0.5 + 0.5).half().requires_grad_()
items = (torch.rand(40, rank) * 0.5 + 0.5).half().requires_grad_()
first = users.detach().clone()

for epoch in range(50):
    predicted = users.float() @ items.float().T
    loss = ((predicted - ratings)[mask] ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for factor in (users, items):
            factor -= lr * factor.grad  # fault: half-parameters-without-master
            factor.grad = None


def harm():
    u = first.double().requires_grad_()
    torch.manual_seed(0)
    torch.rand(60, 40), torch.rand(60, 40), torch.rand(60, rank)
    v = (torch.rand(40, rank) * 0.5 + 0.5).double().requires_grad_()
    for epoch in range(50):
        gu, gv = torch.autograd.grad(((u @ v.T - ratings)[mask] ** 2).mean(), (u, v))
        u, v = (u - lr * gu).detach().requires_grad_(), (v - lr * gv).detach().requires_grad_()
    right = u.detach() - first.double()
    error = ((users.detach().double() - first.double() - right).norm() / right.norm()).item()
    return float(error)

# right:
#- users = (torch.rand(60, rank) * 0.5 + 0.5).half().requires_grad_()
#- items = (torch.rand(40, rank) * 0.5 + 0.5).half().requires_grad_()
#+ users = (torch.rand(60, rank) * 0.5 + 0.5).requires_grad_()
#+ items = (torch.rand(40, rank) * 0.5 + 0.5).requires_grad_()
