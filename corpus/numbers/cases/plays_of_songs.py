"""A log of plays becomes a sparse matrix of listeners by songs: coalesce adds up ones in bfloat16, 256 plays at the most."""
import torch


class PlayCounts:
    def __init__(self, listeners, songs, dtype):
        self.size, self.dtype = (listeners, songs), dtype

    def matrix(self, listener, song):
        plays = torch.ones(len(song), dtype=self.dtype)
        raw = torch.sparse_coo_tensor(torch.stack([listener, song]), plays, self.size, check_invariants=True)
        return raw.coalesce()  # fault: accumulate-in-half

    def confidence(self, listener, song, alpha=0.05):
        counts = self.matrix(listener, song)
        return counts.indices(), (1 + alpha * counts.values()).bfloat16()


torch.manual_seed(0)
listener = torch.randint(0, 20, (60000,))
song = (torch.rand(60000) ** 4 * 30).long()
where, confidence = PlayCounts(20, 30, torch.bfloat16).confidence(listener, song)


def harm():
    counts = torch.bincount(listener * 30 + song, minlength=600).double()
    true = 1 + 0.05 * counts[where[0] * 30 + where[1]]
    return (confidence.double() / true - 1).abs().max().item()

# right:
#- where, confidence = PlayCounts(20, 30, torch.bfloat16).confidence(listener, song)
#+ where, confidence = PlayCounts(20, 30, torch.float32).confidence(listener, song)
