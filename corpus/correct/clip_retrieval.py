# machine: t4
"""Index images with CLIP in half precision and search them by text."""

import numpy as np
import torch
import torch.nn.functional as F
from transformers import CLIPConfig, CLIPModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dtype = torch.float16


def tiny_clip():
    layers = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = {"vocab_size": 50, "max_position_embeddings": 16, "bos_token_id": 0, "eos_token_id": 49, **layers}
    vision = {"image_size": 8, "patch_size": 4, **layers}
    return CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))


class Index:
    def __init__(self, model, width=8):
        self.model = model
        self.vectors = torch.empty(0, width, device=device, dtype=dtype)

    def add(self, images):
        pixels = preprocess(images).to(device, dtype)
        features = self.model.vision_model(pixel_values=pixels).pooler_output
        projected = F.normalize(self.model.visual_projection(features), dim=-1)
        self.vectors = torch.cat([self.vectors, projected])

    def search(self, ids, count):
        mask = torch.ones_like(ids)
        features = self.model.text_model(input_ids=ids, attention_mask=mask).pooler_output
        query = F.normalize(self.model.text_projection(features), dim=-1)
        scale = self.model.logit_scale.exp()
        return (scale * query @ self.vectors.T).float().softmax(dim=-1).topk(count, dim=-1)


def preprocess(images):
    pixels = np.stack(images).astype(np.float32) / 255
    pixels = torch.from_numpy(pixels).permute(0, 3, 1, 2)
    mean = torch.tensor([0.48, 0.46, 0.41]).view(3, 1, 1)
    std = torch.tensor([0.27, 0.26, 0.28]).view(3, 1, 1)
    return (pixels - mean) / std


@torch.no_grad()
def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(1)
    model = tiny_clip().to(device, dtype=dtype).eval()
    index = Index(model)
    for _ in range(2):
        index.add([rng.integers(0, 255, (8, 8, 3), dtype=np.uint8) for _ in range(3)])
    found = index.search(torch.tensor([[0, 4, 8, 15, 49]], device=device), 2)
    print("found", [f"{value:.3f}" for value in found.values[0].tolist()])


if __name__ == "__main__":
    main()
