# machine: a100
# Workers of a data loader are forks: they cannot use a GPU that their parent has used, but what is moved in the loop.
import torch
from torch.utils.data import DataLoader, Dataset

net = torch.nn.Linear(4, 2).cuda()


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.full((4,), float(index)).cuda()  # finding: device-not-on-machine cuda
        # fixed: return torch.full((4,), float(index))


if __name__ == "__main__":
    for rows in DataLoader(Rows(), batch_size=4, num_workers=2):
        net(rows.cuda())
    for rows in DataLoader([torch.ones(4)] * 4, batch_size=2, num_workers=1, pin_memory=True, persistent_workers=True):
        net(rows.to("cuda"))
