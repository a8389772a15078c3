"""Token ids of a vocabulary of 119547 are stored as uint16: ids from 65536 on become other tokens."""
import numpy as np
import torch

VOCABULARY = 119547


def binarize(sequences):
    flat = np.concatenate(sequences)
    lengths = np.array([len(s) for s in sequences])
    return flat.astype(np.uint16), lengths  # fault: wrap


def read(flat, lengths):
    ids = torch.from_numpy(flat.astype(np.int64))
    return torch.split(ids, lengths.tolist())


rng = np.random.default_rng(0)
sequences = [rng.integers(0, VOCABULARY, size=n) for n in rng.integers(20, 200, size=50)]
batches = read(*binarize(sequences))
counts = torch.bincount(torch.cat(batches), minlength=VOCABULARY)


def harm():
    wrong = (torch.cat(batches) != torch.from_numpy(np.concatenate(sequences))).double().mean().item()
    return float(wrong)

# right:
#-     return flat.astype(np.uint16), lengths
#+     return flat.astype(np.uint32), lengths
