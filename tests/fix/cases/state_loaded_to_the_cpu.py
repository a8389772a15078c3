# machine: v100
import io

import torch

device = "cuda"
total = torch.zeros((), device=device)
file = io.BytesIO()
torch.save({"total": total}, file)
file.seek(0)
saved = torch.load(file, map_location="cpu")
total = saved["total"]
total.add_(torch.ones((), device=device))
# fixed:
#- saved = torch.load(file, map_location="cpu")
#+ saved = torch.load(file, map_location=device)
