"""A data set hands out users' numbers as float32 beside the other features: above 16,777,216 they are rounded."""
import torch
from torch.utils.data import DataLoader, Dataset


class Clicks(Dataset):
    def __init__(self, users, ages):
        self.users, self.ages = users, ages

    def __len__(self):
        return len(self.users)

    def __getitem__(self, index):
        row = torch.stack([self.users[index].float(), self.ages[index]])  # fault: rounding-of-integers
        return {"row": row, "user": self.users[index]}


torch.manual_seed(0)
users = torch.arange(40_000_001, 40_000_065, 2)
found = []
for batch in DataLoader(Clicks(users, torch.full((32,), 30.0)), batch_size=8):
    found.append(batch["row"][:, 0].long())


def harm():
    return (torch.cat(found) != users[:8 * len(found)]).float().mean().item()

# right:
#-         row = torch.stack([self.users[index].float(), self.ages[index]])
#+         row = torch.stack([self.users[index].double(), self.ages[index].double()])
