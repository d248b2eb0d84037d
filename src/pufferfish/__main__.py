"""`python -m pufferfish` is `pufferfish`."""

from pufferfish.cli import main

main()
