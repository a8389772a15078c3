"""Processes that work for this one: what they are told and what they say are JSON lines; none outlives who started it.

worker.py        one process of this interpreter, and its end
pool.py          several, that share out jobs: one that crashes or says nothing any more loses only its own
fork_server.py   within a worker: a fork of it per request, with a limit of time
lines.py         the messages;  forks.py  forks, how they end, and what is silent in them
"""
