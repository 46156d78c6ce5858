"""What starting costs: CPU seconds of whole processes, beside a bare interpreter in the same run.

    python benchmarks/cold_start.py [--runs 7]

Marks: `--help` and a scripted run 0.35 s, aiming for 0.15.
"""

import argparse
import resource
import statistics
import subprocess
import sys

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "research-crew --help": ["-m", "research_crew", "--help"],
    "research-crew why -n 4 --failure-rate 0.25": ["-m", "research_crew", "why", "-n", "4", "--failure-rate", "0.25"],
    "research-crew --compare --seeds 60": ["-m", "research_crew", "--compare", "--seeds", "60"],
    "research-crew QUESTION (bundled documents)": ["-m", "research_crew", "How does a checkpoint work?", "--quiet"],
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    bare = 0.0
    print(f"{'command':<46} CPU s  x bare   (median of {runs} after one to warm up)")
    for name, words in COMMANDS.items():
        seconds = statistics.median(cpu([sys.executable, *words]) for _ in range(runs + 1))
        bare = bare or seconds
        print(f"{name:<46} {seconds:>5.3f}  {seconds / bare:>6.1f}", flush=True)


def cpu(command: list[str]) -> float:
    """User and system seconds of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
