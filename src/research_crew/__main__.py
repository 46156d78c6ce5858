"""`python -m research_crew` is the command `research-crew`."""

from research_crew.interfaces.cli.app import main

if __name__ == "__main__":
    raise SystemExit(main())
