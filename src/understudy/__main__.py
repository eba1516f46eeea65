"""`python -m understudy` is the command `understudy`."""

from understudy.cli import main

main()
