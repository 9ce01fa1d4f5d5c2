"""The table on the terminal, the report as JSON, and the table in docs/performance.md."""

import json
import re

from .load import threads_text


class Report:
    """Rows as they come in; each is a workload, its figures, and the targets that it has to pass."""

    def __init__(self, facts, quiet=False):
        self.facts = facts
        self.rows = []

    def add(self, workload, figures, targets=(), note=None):
        """`targets`: texts what is wanted, what came of it, and whether it is enough."""
        row = {"workload": workload, "figures": figures,
               "targets": [{"wanted": wanted, "measured": measured, "passed": bool(passed)}
                        for wanted, measured, passed in targets]}
        if note:
            row["note"] = note
        self.rows.append(row)
        print(f"\n{workload}" + (f"  ({note})" if note else ""), flush=True)
        for name, value in figures.items():
            print("    " + (contender(name, value) if isinstance(value, dict) else f"{name}: {value}"))
        for target in row["targets"]:
            print(f"  {'PASS' if target['passed'] else 'MISS'}  {target['wanted']}: {target['measured']}", flush=True)

    def summary(self):
        targets = [(row["workload"], target) for row in self.rows for target in row["targets"]]
        missed = [(workload, target) for workload, target in targets if not target["passed"]]
        print(f"\n{len(targets) - len(missed)} of {len(targets)} targets passed.")
        for workload, target in missed:
            print(f"  MISS  {workload}: {target['wanted']}: {target['measured']}")

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.facts | {"rows": self.rows}, file, ensure_ascii=False, indent=1)
            file.write("\n")

    def publish(self, path, commit):
        """Puts the targets of this run into the page, in place of those of the run before."""
        lines = [f"{self.facts['date']}, commit {commit}, {self.facts['machine']['cores']} cores, "
                 f"{self.facts['rounds']} rounds of {self.facts['secondsARound']} seconds each:",
                 "", "| What | Target | Measured |", "|---|---|---|"]
        for row in self.rows:
            for number, target in enumerate(row["targets"]):
                missed = "" if target["passed"] else ", missed"
                lines.append(f"| {row['workload'] if number == 0 else ''} | {target['wanted']} | {target['measured']}{missed} |")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        begin, end = "<!-- Written by `make bench`. -->\n", "<!-- To here. -->"
        page, count = re.subn(f"{begin}.*?{end}", lambda _: begin + "\n".join(lines) + f"\n\n{end}", text, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{path} has no place for the table.")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)


def contender(name, value):
    if "requestsPerSecond" not in value:
        return f"{name}: " + ", ".join(f"{key} {one}" for key, one in value.items())
    text = (f"{name:<22}{value['requestsPerSecond']:>9,} /s   p50 {value['p50Microseconds']:>7,} µs"
            f"   p99 {value['p99Microseconds']:>8,} µs   CPU {value['cpuMicroseconds']:>9,} µs a request")
    return text + (f"   {value['failures']} FAILED" if value["failures"] else "")


def ratio_bars(contest, name, other, wanted):
    """The rate beside another's, with each number of the load's threads."""
    ratios = [(count, contest.ratio(name, other, threads=count)) for count in contest.threads]
    return [(f"≥ {wanted} × {other}{threads_text(count, contest.threads)}", f"{ratio:.2f} ×", ratio >= wanted)
            for count, ratio in ratios]


def most_bars(contest, name, other, figure, wanted, text):
    """The same for a figure that should be small, as "≤ `wanted` × `text`"."""
    ratios = [(count, contest.ratio(name, other, figure, count)) for count in contest.threads]
    return [(f"≤ {wanted} × {text}{threads_text(count, contest.threads)}", f"{ratio:.2f} ×", ratio <= wanted)
            for count, ratio in ratios]


def all_answered(contest, name="kanbase"):
    failures = contest.failures(name)
    return "no failed request", f"{failures}", failures == 0
