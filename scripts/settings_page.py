"""Writes docs/settings.md from the settings themselves: `python scripts/settings_page.py > docs/settings.md`."""

from dataclasses import fields

from research_crew.settings import Settings

HEAD = """# Settings

Arguments stand over the environment (`RESEARCH_CREW_…`), over `.env` in the working directory, over `research-crew.toml`,
over these defaults. `research-crew config` prints what is in force and where each value came from.

| setting | default | what it is |
|---|---|---|"""

print(HEAD)
for spec in fields(Settings):
    default = "-" if spec.default is None else str(spec.default)
    print(f"| `{spec.name}` | `{default}` | {spec.metadata['what']} |")
