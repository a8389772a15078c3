# machine: v100
# real: cpu
# Speculative decoding: drafts are accepted until one is not.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
vocab, gamma, length = 16, 4, 40
emb = torch.nn.Embedding(vocab, 8).to(dev)
big, small = torch.nn.Linear(8, vocab).to(dev), torch.nn.Linear(8, vocab).to(dev)
seq = torch.zeros(1, 1, dtype=torch.long, device=dev)
accepted = total = 0
with torch.no_grad():
    while seq.shape[1] < length:
        draft, qs = seq, []
        for _ in range(gamma):
            q = small(emb(draft[:, -1])).softmax(-1)
            qs.append(q)
            draft = torch.cat([draft, torch.multinomial(q, 1)], 1)
        ps = big(emb(draft)).softmax(-1)
        n = seq.shape[1]
        for k in range(gamma):
            token = draft[0, n + k]
            ratio = ps[0, n + k - 1, token] / qs[k][0, token]
            total += 1
            if torch.rand((), device=dev) > ratio:
                rest = (ps[:, n + k - 1] - qs[k]).clamp(min=0)
                assert rest.sum() > 0
                seq = torch.cat([draft[:, : n + k], torch.multinomial(rest / rest.sum(), 1)], 1)
                break
            accepted += 1
        else:
            seq = torch.cat([draft, torch.multinomial(ps[:, -1], 1)], 1)
        assert seq.shape[1] > n
assert 0 <= accepted <= total
assert seq.min() >= 0 and seq.max() < vocab
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
