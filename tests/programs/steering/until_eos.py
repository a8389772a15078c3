# machine: v100
# real: cpu
# Sampling until the end is drawn.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
embed, head = torch.nn.Embedding(11, 4).to(dev), torch.nn.Linear(4, 11).to(dev)
EOS = 3
tokens = [1]
with torch.no_grad():
    while True:
        logits = head(embed(torch.tensor(tokens, device=dev))[-1])
        token = torch.multinomial(logits.softmax(-1), 1).item()
        tokens.append(token)
        if token == EOS:
            break
    one = torch.tensor([[1]], device=dev)
    while one[0, -1] != EOS:
        step = torch.multinomial(head(embed(one[:, -1])).softmax(-1), 1)
        one = torch.cat([one, step], 1)
assert all(0 <= t < 11 for t in tokens)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
