"""How often the 90 % range of an estimate holds the bill: over the answers of a comparison, in their order.

    python benchmarks/promises.py ANSWERS.jsonl [...]

Each answer of an arm is foretold from the bills before it, from the sixth on, as `research-crew estimate` does it.
"""

import argparse
from pathlib import Path

from research_crew.measure.answers_file import read_answers
from research_crew.measure.estimate import ENOUGH, predicted
from research_crew.measure.rates import Rate


def main() -> None:
    """Print a line for each file and arm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    for file in parser.parse_args().files:
        answers = read_answers(file)
        for arm in dict.fromkeys(a.arm for a in answers):
            bills = [a.spent.cost for a in answers if a.arm == arm]
            held = Rate(0, 0)
            widths = []
            for n in range(ENOUGH, len(bills)):
                low, high = predicted(bills[:n])
                held = held.plus(Rate(int(low <= bills[n] <= high), 1))
                widths.append(high / low)
            print(f"{file.stem:<28} {arm:<12} the 90 % range held {held}; high / low {sum(widths) / len(widths):.2f}")


if __name__ == "__main__":
    main()
