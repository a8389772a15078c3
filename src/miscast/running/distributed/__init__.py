"""One program as every rank of a world: a process per rank, each on a virtual machine, that meet in this one."""
