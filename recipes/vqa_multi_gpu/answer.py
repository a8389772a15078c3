"""Answer questions about images with a visual expert model, split over several processes.

    torchrun --nproc-per-node 4 recipes/vqa_multi_gpu/answer.py --fp16 --checkpoint out/checkpoint-200
    miscast check --ranks 4 --machine 4xv100 recipes/vqa_multi_gpu/answer.py --size real --fp16

Without a checkpoint it answers with random weights.
"""

import argparse
import json

import torch
from data import END, QUESTIONS, Album, words, write_images
from models import SIZES, answer
from parallel import from_rank_0, leave_ranks, rank
from precision import cast_region, read_switches, scaled_image, set_up
from train import shard


def answer_all(model, questions, device, args, faults):
    """By image and kind of question, what the model says; on rank 0, which has the questions."""
    said = {}
    while True:
        names, batch = next(questions, (None, None))
        batch = from_rank_0(batch, device)
        if batch is None:
            return said
        with cast_region(args, device), torch.no_grad():
            looked = model.look(scaled_image(batch["image"], args, faults))
            tokens = {kind: answer(model, looked, batch[kind][:, :-2], END) for kind in QUESTIONS}
        for n, name in enumerate(names or ()):
            said[name] = {kind: words(tokens[kind][n].tolist()) for kind in QUESTIONS}


def write_answers(said, right, file):
    with open(file, "w") as stream:
        json.dump(said, stream, indent=2)
    pairs = [(said[name][kind], text) for name, answers in right.items() for kind, text in answers.items()]
    print(f"{sum(one == other for one, other in pairs)} of {len(pairs)} answers are right: {file}")


def main():
    parser = argparse.ArgumentParser(description="Answer questions about images.")
    parser.add_argument("--checkpoint", help="of train.py, by as many ranks; random weights without it")
    parser.add_argument("--images", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--output", default="out")
    args, faults = read_switches(parser)
    model, device = set_up(args, faults)
    if args.checkpoint:
        model.load_state_dict(torch.load(shard(args.checkpoint), map_location=device, weights_only=True)["model"])
    model.eval()

    folder, high = f"{args.output}/asked", SIZES[args.size]["high"]
    if rank() == 0:
        write_images(folder, args.images, high["resolution"], seed=1)
        album = Album(folder, high["resolution"], high["patch"], faults)
        said = answer_all(model, album.all(args.batch_size), device, args, faults)
        write_answers(said, album.answers, f"{args.output}/answers.json")
    else:
        answer_all(model, iter(()), device, args, faults)
    leave_ranks()


if __name__ == "__main__":
    main()
