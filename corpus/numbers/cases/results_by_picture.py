"""Results of a detector, [image id, class, score], are gathered as one float tensor: long ids become others."""
import torch

torch.manual_seed(0)
ids = [900100581904 + 37 * i for i in range(20)]
rows = []
for image_id in ids:
    for _ in range(3):
        rows.append([image_id, int(torch.randint(0, 80, ())), float(torch.rand(()))])
results = torch.tensor(rows)  # fault: rounding-of-integers
found = {int(i) for i in results[:, 0]}


def harm():
    return len(set(ids) - found) / len(ids)

# right:
#- results = torch.tensor(rows)
#+ results = torch.tensor(rows, dtype=torch.float64)
