"""One run of a program: how it is started, its processes and ranks, and what is restored afterwards."""
