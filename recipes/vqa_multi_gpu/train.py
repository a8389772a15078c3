"""Teach a visual expert model, split over several processes, to answer questions about images.

    python recipes/vqa_multi_gpu/train.py                                     # one process, on a CPU in seconds
    torchrun --nproc-per-node 4 recipes/vqa_multi_gpu/train.py --fp16         # four, each with a quarter of the weights
    miscast check --ranks 4 --machine 4xv100 recipes/vqa_multi_gpu/train.py --fault two-way-test

--fault NAME brings a mistake of CogVLM's issue 282 back, at its place in the code.
"""

import argparse
import os

import torch
import torch.nn.functional as F
from data import Album, write_images
from master import MasterWeights
from models import SIZES
from parallel import from_rank_0, leave_ranks, rank, say, world
from precision import cast_region, read_switches, scaled_image, set_up


def shard(folder):
    """The file of this rank's part of the model."""
    return f"{folder}/rank-{rank()}-of-{world()}.pt"


def answer_loss(model, image, tokens):
    """Of the answer and its end, given image and question."""
    logits = model(image, tokens[:, :-1])[:, -2:]
    return F.cross_entropy(logits.float().flatten(0, 1), tokens[:, -2:].flatten())


def save_checkpoint(folder, step, model, masters, optimizer):
    os.makedirs(folder, exist_ok=True)
    state = {"step": step, "model": model.state_dict()}
    state |= {"masters": masters.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, shard(folder))


def load_checkpoint(folder, device, model, masters, optimizer):
    """Continue where a checkpoint was saved; returns the number of steps done."""
    state = torch.load(shard(folder), map_location=device, weights_only=True)
    model.load_state_dict(state["model"])
    masters.load_state_dict(state["masters"])
    optimizer.load_state_dict(state["optimizer"])
    return state["step"]


def train(model, device, args, faults):
    album = None
    if rank() == 0:
        high = SIZES[args.size]["high"]
        write_images(f"{args.output}/images", args.images, high["resolution"])
        album = Album(f"{args.output}/images", high["resolution"], high["patch"], faults)
    masters = MasterWeights(model)
    optimizer = torch.optim.AdamW(masters.masters, lr=args.learning_rate)

    start = load_checkpoint(args.resume, device, model, masters, optimizer) if args.resume else 0
    for step in range(start + 1, args.steps + 1):
        batch = from_rank_0(album and album.draw(step, args.batch_size), device)
        image = scaled_image(batch["image"], args, faults)
        with cast_region(args, device):
            loss = answer_loss(model, image, batch["tokens"])
        (loss * masters.scale).backward()
        if masters.take_gradients():
            optimizer.step()
            masters.write_back()
        optimizer.zero_grad(set_to_none=True)
        say(f"step {step}: loss {loss.item():.4f}")

        if step % args.save_every == 0:
            save_checkpoint(f"{args.output}/checkpoint-{step}", step, model, masters, optimizer)


def main():
    parser = argparse.ArgumentParser(description="Train a visual expert model to answer questions.")
    parser.add_argument("--images", type=int, default=96)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--save-every", type=int, default=100)
    parser.add_argument("--resume", help="a checkpoint's folder; as many ranks as saved it")
    parser.add_argument("--output", default="out")
    args, faults = read_switches(parser)
    model, device = set_up(args, faults)
    train(model, device, args, faults)
    leave_ranks()


if __name__ == "__main__":
    main()
