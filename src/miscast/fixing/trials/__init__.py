"""A program run again, changed, in forks of one warm process, as `fix`, `check --also`, `matrix` and `plan` do.

job ── what is run                        outcome ── what it came to
trials ── asks for runs, two at a time    worker ── the process that forks them
fork ── one run                           watched ── what is watched of it
"""
