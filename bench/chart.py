#!/usr/bin/env python3
"""Draws bars of measured ratios on a logarithmic axis as SVG.

Usage: bench/chart.py bench/ratios.tsv > bench/ratios.svg
Input: lines of work, contender and ratio, separated by tabs; '#' begins a comment. The bars
begin at 1 (equal time) and go right where Plexus is faster, left where it is slower.
Needs Python's standard library alone. The same input gives the same bytes.
"""
import math
import sys
from xml.sax.saxutils import escape

WIDTH, ROW, TOP, BOTTOM = 760, 24, 44, 34
LEFT, RIGHT = 385, 700  # of the axis
LOW, HIGH = 0.25, 2000.0
FASTER, SLOWER, INK, PALE = "#2f6f8f", "#b0653a", "#24292f", "#d0d7de"


def x(ratio):
    share = math.log(ratio / LOW) / math.log(HIGH / LOW)
    return LEFT + (RIGHT - LEFT) * share


def text(at, y, words, anchor="start", size=13, color=INK, weight="normal"):
    return (f'<text x="{at:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{color}" font-weight="{weight}">{escape(words)}</text>')


def number(ratio):
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:g}x"


def main():
    rows = []
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                work, contender, ratio = line.rstrip("\n").split("\t")
                rows.append((work, contender, float(ratio)))
                if not LOW < rows[-1][2] < HIGH:
                    sys.exit(f"chart.py: {work}: a ratio of {ratio} is outside of the axis")
    end = TOP + ROW * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{end + BOTTOM}" '
           f'viewBox="0 0 {WIDTH} {end + BOTTOM}" font-family="sans-serif" role="img" '
           'aria-label="How many times faster Plexus is than each contender">',
           f'<rect width="{WIDTH}" height="{end + BOTTOM}" fill="#ffffff"/>',
           text(10, 24, "How many times faster Plexus is, by work and contender", size=15, weight="bold")]
    for tick in (1, 10, 100, 1000):
        out.append(f'<line x1="{x(tick):.1f}" y1="{TOP - 6}" x2="{x(tick):.1f}" y2="{end + 4}" '
                   f'stroke="{INK if tick == 1 else PALE}" stroke-width="1"/>')
        out.append(text(x(tick), end + 20, "equal" if tick == 1 else f"{tick:,}x", "middle", 12))
    for i, (work, contender, ratio) in enumerate(rows):
        y = TOP + ROW * i
        begin, stop = sorted((x(1), x(ratio)))
        color = FASTER if ratio >= 1 else SLOWER
        out.append(text(10, y + 16, work))
        out.append(text(212, y + 16, contender, color="#57606a"))
        out.append(f'<rect x="{begin:.1f}" y="{y + 4}" width="{max(stop - begin, 1):.1f}" height="16" fill="{color}"/>')
        out.append(text(max(stop, x(1)) + 6, y + 16, number(ratio), size=12, weight="bold"))
    out.append("</svg>")
    print("\n".join(out))


main()
