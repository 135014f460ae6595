"""A bar chart as SVG, for the pages of the documentation."""

from collections.abc import Mapping

LEFT, WIDE, HIGH = 110, 380, 14


def bars(title: str, values: Mapping[str, Mapping[str, float]], kinds: Mapping[str, tuple[str, str]]) -> str:
    """A bar for each kind, beside the name.

    `kinds`: its colour and its legend, which is shown if there are several.
    """
    longest = max((value for each in values.values() for value in each.values()), default=1.0)
    digits = 0 if longest >= 10 else 2
    lines, y = [f'<text x="4" y="16" font-weight="bold">{title}</text>'], 28
    for name, of_name in values.items():
        lines.append(f'<text x="4" y="{y + 11}">{name}</text>')
        for kind, value in of_name.items():
            length = max(1.0, value / longest * WIDE)
            lines.append(
                f'<rect x="{LEFT}" y="{y}" width="{length:.0f}" height="{HIGH - 2}" fill="{kinds[kind][0]}"/>'
                f'<text x="{LEFT + length + 4:.0f}" y="{y + 10}">{value:,.{digits}f}</text>'
            )
            y += HIGH
        y += 6
    for colour, legend in kinds.values() if len(kinds) > 1 else ():
        lines.append(
            f'<rect x="{LEFT}" y="{y}" width="10" height="10" fill="{colour}"/>'
            f'<text x="{LEFT + 14}" y="{y + 9}">{legend}</text>'
        )
        y += HIGH
    size = f'width="{LEFT + WIDE + 60}" height="{y + 6}"'
    style = 'font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
    body = "\n".join(lines)
    return f'{head}\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
