"""Write every table and curve of the scripted world: `python scripts/curves_page.py docs` makes curves.md and curves/*.svg.

The same seeds give the same page; a test holds the page to what this prints.
"""

import sys
from pathlib import Path

from research_crew import World
from research_crew.agents.scripted.world import Prices
from research_crew.measure.advise import advise
from research_crew.measure.compare import compare_scripted
from research_crew.measure.sweep import VALUES, sweep

SEEDS = 60
_HEAD = f"""# Tables and curves of the scripted world

Made by `python scripts/curves_page.py docs`; every block names the command that prints it. {SEEDS} seeds are drawn through the
real graph, runner and ledger; values in brackets, and the lines of the curves, are exact. Dots are what was drawn, with
95 % intervals. The same with sliders, offline: `research-crew explore --to world.html`. What the words mean:
[measurement.md](measurement.md).
"""
_CHEAP = Prices(plan=0.5, research=1, critique=0.5, edit=0.5, solo=4, further=3)


def files() -> dict[str, str]:
    """The text of every file, by its path under the folder."""
    made: dict[str, str] = {}
    parts = [_HEAD, "## Crew against one agent\n"]
    compared = compare_scripted(SEEDS, published=True, equal_money=True)
    parts.append(_block("research-crew --compare --equal-money --published", compared.render()))
    for over in VALUES:
        words = f"research-crew sweep {over}" + (" --critic-strictness 0.3" if over == "failures" else "")
        world = World(critic_strictness=0.3) if over == "failures" else World()
        swept = sweep(over, SEEDS, world, published=over in ("strictness", "researchers"))
        parts += [f"## Over {over}\n", _block(words + (" --published" if swept.published else ""), swept.render())]
        parts.append(f"![curves over {over}](curves/{over}.svg)\n")
        made[f"curves/{over}.svg"] = swept.to_svg()
    parts += ["## Which crew for which prices\n", _block("research-crew advise", advise(World()).render())]
    precise = advise(World(), precision=0.8)
    parts += ["An answer that must be right to 0.8 on average:\n", _block("research-crew advise --precision 0.8", precise.render())]
    cheap = advise(World(prices=_CHEAP))
    parts += [
        "Cheap workers (plan 0.5, research 1, critique and edit 0.5 each; one agent 4 and 3), from a world file:\n",
        _block("research-crew advise --world cheap.json", cheap.render()),
    ]
    made["curves.md"] = "\n".join(parts).rstrip() + "\n"
    return made


def _block(command: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"```\n$ {command}\n{lines}\n```\n"


def main() -> None:
    """Write the files under the folder that is named."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python scripts/curves_page.py FOLDER")
    folder = Path(sys.argv[1])
    (folder / "curves").mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name)


if __name__ == "__main__":
    main()
