"""The lengths of 300 documents of int8 are added by cumsum into their own dtype to find where each begins."""
import torch


def begins(lengths):
    ends = torch.cumsum(lengths, 0, dtype=lengths.dtype)  # fault: wrap
    return torch.cat([ends.new_zeros(1), ends[:-1]])


torch.manual_seed(0)
lengths = torch.randint(5, 120, (300,)).to(torch.int8)
where = begins(lengths)


def harm():
    exact = lengths.long().cumsum(0) - lengths.long()
    return (where.long() != exact).float().mean().item()

# right:
#-     ends = torch.cumsum(lengths, 0, dtype=lengths.dtype)
#+     ends = torch.cumsum(lengths, 0)
