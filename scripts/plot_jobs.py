"""Draw seconds and speed-up over number of jobs as one SVG, with nothing but text."""

import math
import statistics

WIDTH, HEIGHT = 760, 360
PANEL_WIDTH, PANEL_HEIGHT, TOP = 270, 230, 70
LEFTS = (70, 450)
INK, FAINT, MARK = "#222222", "#dddddd", "#1f6fb2"


def text(x, y, what, anchor="middle", size=12, extra=""):
    """One line of text."""
    what = what.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}" {extra}>{what}</text>'


def line(x1, y1, x2, y2, color=INK, extra=""):
    """One straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" {extra}/>'


def ticks(top):
    """Round numbers from 0 to at least `top`, about five of them."""
    rough = top / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    return [i * step for i in range(math.ceil(top / step - 1e-9) + 1)]


class Panel:
    """Axes over evenly spaced job counts and a linear scale from 0."""

    def __init__(self, left, jobs, top, label):
        self.left, self.jobs, self.ticks, self.label = left, jobs, ticks(top), label

    def x(self, jobs):
        """The place of a job count."""
        return self.left + PANEL_WIDTH * (self.jobs.index(jobs) + 0.5) / len(self.jobs)

    def y(self, value):
        """The place of a value."""
        return TOP + PANEL_HEIGHT * (1 - value / self.ticks[-1])

    def axes(self):
        """Axes, grid, numbers, names."""
        bottom, right = TOP + PANEL_HEIGHT, self.left + PANEL_WIDTH
        parts = [line(self.left, self.y(t), right, self.y(t), FAINT) for t in self.ticks[1:]]
        parts += [text(self.left - 8, self.y(t) + 4, f"{t:g}", "end") for t in self.ticks]
        parts += [text(self.x(j), bottom + 18, str(j)) for j in self.jobs]
        parts += [line(self.left, TOP, self.left, bottom), line(self.left, bottom, right, bottom)]
        middle = TOP + PANEL_HEIGHT / 2
        parts.append(text((self.left + right) / 2, bottom + 40, "number of jobs"))
        parts.append(
            text(self.left - 46, middle, self.label, extra=f'transform="rotate(-90 {self.left - 46} {middle})"')
        )
        return parts

    def points(self, values):
        """A line through {jobs: (mean, spread)} with error bars."""
        places = " ".join(f"{self.x(j):.1f},{self.y(m):.1f}" for j, (m, _) in sorted(values.items()))
        parts = [f'<polyline points="{places}" fill="none" stroke="{MARK}" stroke-width="2"/>']
        for jobs, (mean, spread) in sorted(values.items()):
            x, low, high = self.x(jobs), self.y(max(0, mean - spread)), self.y(mean + spread)
            parts += [line(x, low, x, high, MARK, 'stroke-width="1.5"')]
            parts += [line(x - 6, end, x + 6, end, MARK, 'stroke-width="1.5"') for end in (low, high)]
            parts.append(f'<circle cx="{x:.1f}" cy="{self.y(mean):.1f}" r="4" fill="{MARK}"/>')
        return parts

    def ideal(self):
        """The dashed line of a speed-up equal to the number of jobs."""
        places = " ".join(f"{self.x(j):.1f},{self.y(j / self.jobs[0]):.1f}" for j in self.jobs)
        return [
            f'<polyline points="{places}" fill="none" stroke="{INK}" stroke-dasharray="4 4"/>',
            text(self.x(self.jobs[-1]) - 8, self.y(self.jobs[-1] / self.jobs[0]) - 10, "ideal", "end", 11),
        ]


def draw(seconds, note):
    """Return the SVG of {jobs: [seconds, ...]}; `note` says what was written and how often."""
    jobs = sorted(seconds)
    times = {
        j: (statistics.mean(v), statistics.pstdev(v) if len(v) < 2 else statistics.stdev(v)) for j, v in seconds.items()
    }
    base = times[jobs[0]][0]
    # The speed-up's spread is that of the times, carried over: relative spreads are equal.
    gains = {j: (base / m, base / m * s / m) for j, (m, s) in times.items()}
    left = Panel(LEFTS[0], jobs, max(m + s for m, s in times.values()), "seconds")
    right = Panel(LEFTS[1], jobs, max(max(jobs) / jobs[0], max(m + s for m, s in gains.values())), "speed-up")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(WIDTH / 2, 26, "nwbz write: time over number of jobs", size=16),
        text(WIDTH / 2, 46, note),
    ]
    parts += left.axes() + left.points(times) + right.axes() + right.ideal() + right.points(gains)
    return "\n".join(parts + ["</svg>", ""])
