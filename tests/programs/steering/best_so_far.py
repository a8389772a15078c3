# machine: v100
# real: cpu
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4, device=device), torch.zeros(16, 1, device=device)
best, best_item, evaluations = float("inf"), None, 0
for epoch in range(6):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert loss.item() == loss.item()  # one tensor has one value
    if loss < best:  # numbers that nobody knows on a GPU
        best = loss.detach()
        torch.save(model.state_dict(), "best_tensor.pt")
    if epoch > 1 and (best_item is None or loss.item() < best_item):
        best_item = loss.item()
        torch.save(model.state_dict(), "best_item.pt")
while (error := (model(x) - y).pow(2).mean()) > 1e-3:
    optimizer.zero_grad()
    error.backward()
    optimizer.step()
    evaluations += 1
    assert evaluations < 1000
model.load_state_dict(torch.load("best_tensor.pt"))
model.load_state_dict(torch.load("best_item.pt"))
