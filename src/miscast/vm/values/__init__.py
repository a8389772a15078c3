"""The numbers of virtual tensors: what is known of them, and what the program is told when it asks for one."""
