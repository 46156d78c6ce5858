"""How often English prose is taken for another language by the check that a report is in the question's language.

    python benchmarks/report_language.py --data DIR

Every paragraph of `wiki-multihop` and every sentence group of `scifact` of more than 150 characters is English. Printed:
how many are refused as English, and how many pass as another language.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from research_crew.evidence.written import written_in


def texts(value: object) -> Iterator[str]:
    """The long texts in JSON values."""
    if isinstance(value, str) and len(value) > 150:
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    found: list[str] = []
    for name in ("wiki-multihop", "scifact"):
        for file in sorted((folder / name).rglob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                found += texts(json.loads(line))
    refused = sum(not written_in(text, "en") for text in found)
    print(f"{len(found)} English paragraphs, {refused} taken for another language ({refused / len(found):.3%})")
    for code in ("de", "fr", "es", "it", "pt", "nl", "vi", "zh", "ja", "ko", "ru", "ar"):
        passed = sum(written_in(text, code) for text in found)
        print(f"{code}: {passed} pass as it ({passed / len(found):.3%})")


if __name__ == "__main__":
    main()
