"""torch.distributed on the virtual machine: what each of its calls moves, with one rank or with others beside."""
