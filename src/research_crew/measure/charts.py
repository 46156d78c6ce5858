"""Line charts as SVG text: no library, light and dark by what the reader's screen asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

WIDTH, HEIGHT = 360, 240
"""Of one panel, in pixels."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 30, 36
_STYLE = """
text{font:11px system-ui,sans-serif;fill:#333}.t{font-weight:600;font-size:12px}
.g{stroke:#ddd}.a{stroke:#888}line,path{fill:none}
.s0{stroke:#0b62a4;fill:#0b62a4}.s1{stroke:#c2410c;fill:#c2410c}.s2{stroke:#4d7c0f;fill:#4d7c0f}
path{stroke-width:2;fill:none!important}circle{stroke:none}text.k{stroke:none}
@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}.a{stroke:#888}
.s0{stroke:#6cb6ff;fill:#6cb6ff}.s1{stroke:#ff9d6c;fill:#ff9d6c}.s2{stroke:#a3d65c;fill:#a3d65c}}
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One curve, with what was drawn by chance beside it."""

    name: str
    points: Sequence[tuple[float, float]]
    dots: Sequence[tuple[float, float, float]] = ()
    """(x, y, half the 95 % interval)."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart."""

    title: str
    x: str
    lines: Sequence[Line]


def chart(title: str, panels: Sequence[Panel], columns: int = 2) -> str:
    """Panels side by side as one SVG document."""
    rows = -(-len(panels) // columns)
    width, height = columns * WIDTH, rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title><style>{''.join(_STYLE.split(chr(10)))}</style>",
    ]
    for place, panel in enumerate(panels):
        x, y = place % columns * WIDTH, place // columns * HEIGHT
        parts.append(f'<g transform="translate({x},{y})">{_panel(panel)}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values between two ends, 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        return [low]
    raw = (high - low) / about
    power = 10.0 ** floor(log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = floor(low / step + 0.999)
    return [round(i * step, 10) for i in range(first, floor(high / step + 1e-9) + 1)]


def _panel(panel: Panel) -> str:
    xs = [x for line in panel.lines for x, *_ in (*line.points, *line.dots)]
    tops = [y + e for line in panel.lines for _, y, e in line.dots]
    ys = [y for line in panel.lines for _, y in line.points] + tops
    left, right, top = min(xs), max(xs), max(*ys, 0.0) * 1.05 or 1.0
    wide, tall = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def at_x(x: float) -> str:
        return f"{_LEFT + (x - left) / (right - left) * wide if right > left else _LEFT + wide / 2:.1f}"

    def at_y(y: float) -> str:
        return f"{_TOP + tall - min(max(y / top, 0.0), 1.0) * tall:.1f}"

    parts = [f'<text class="t" x="{_LEFT}" y="14">{escape(panel.title)}</text>']
    for tick in ticks(0.0, top):
        height = at_y(tick)
        parts.append(f'<line class="g" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{height}" y2="{height}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{height}" text-anchor="end" dominant-baseline="middle">{tick:g}</text>')
    parts.extend(
        f'<text x="{at_x(tick)}" y="{HEIGHT - 20}" text-anchor="middle">{tick:g}</text>' for tick in ticks(left, right)
    )
    parts.append(f'<line class="a" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at_y(0)}" y2="{at_y(0)}"/>')
    parts.append(f'<text x="{_LEFT + wide / 2}" y="{HEIGHT - 5}" text-anchor="middle">{escape(panel.x)}</text>')
    for place, line in enumerate(panel.lines):
        path = " ".join(f"{at_x(x)},{at_y(y)}" for x, y in line.points)
        parts.append(f'<path class="s{place}" d="M{path.replace(" ", "L")}"/>')
        for x, y, half in line.dots:
            parts.append(f'<line class="s{place}" x1="{at_x(x)}" x2="{at_x(x)}" y1="{at_y(y - half)}" y2="{at_y(y + half)}"/>')
            parts.append(f'<circle class="s{place}" cx="{at_x(x)}" cy="{at_y(y)}" r="3"/>')
        key = WIDTH - _RIGHT - 70 * (len(panel.lines) - place)
        parts.append(f'<text class="k s{place}" x="{key}" y="26">{escape(line.name)}</text>')
    return "".join(parts)
