"""`python -m pufferfish` runs `pufferfish`."""

from pufferfish.cli import main

main()
