"""Words of a document are counted by index_put_ with accumulate into a bfloat16 vector: no word comes more than 256 times."""
import torch


def counts(words, vocabulary, dtype):
    bag = torch.zeros(vocabulary, dtype=dtype)
    for part in words.split(100):
        bag.index_put_((part,), torch.ones(len(part), dtype=dtype), accumulate=True)  # fault: accumulate-in-half
    return bag


torch.manual_seed(0)
words = torch.where(torch.rand(4000) < 0.5, 7, torch.randint(0, 50, (4000,)))
bag = counts(words, 50, torch.bfloat16)


def harm():
    exact = torch.bincount(words, minlength=50).double()
    return abs(bag[7].item() / exact[7].item() - 1)

# right:
#- bag = counts(words, 50, torch.bfloat16)
#+ bag = counts(words, 50, torch.float32)
