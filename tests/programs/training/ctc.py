# machine: v100
# real: cpu
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
rnn, head = torch.nn.GRU(8, 8).to(device), torch.nn.Linear(8, 12).to(device)
criterion = torch.nn.CTCLoss(zero_infinity=True)
targets = torch.randint(1, 12, (4, 5), device=device)
for lengths, target_lengths in (((20,) * 4, (5,) * 4), (torch.tensor([20] * 4), torch.tensor([5] * 4))):
    out, _ = rnn(torch.randn(20, 4, 8, device=device))
    loss = criterion(head(out).log_softmax(-1), targets, lengths, target_lengths)
    loss.backward()
    assert rnn.weight_hh_l0.grad.device == rnn.weight_hh_l0.device and loss.requires_grad
    torch.optim.Adam([*rnn.parameters(), *head.parameters()]).step()
