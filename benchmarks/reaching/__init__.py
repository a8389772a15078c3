"""What `check --reach` comes to in sound programs: which lines run or are named, and what that takes."""
