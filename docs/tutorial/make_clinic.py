#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes clinic.csv and new_visits.csv, the made-up tables of docs/tutorial.md, as pandas would write them.

Each patient comes three times. What is measured depends on the illness a little and on the patient a lot.
"""

import csv
import random

PATIENTS, VISITS, NEW = 120, 3, 6


def visits(draw, patient):
    ill = draw.random() < 0.2
    age, sex = draw.randint(22, 84), draw.choice("fm")
    own = [draw.gauss(0, 1) for _ in range(3)]
    for _ in range(VISITS):
        pressure = 118 + 0.25 * age + 9 * own[0] + 6 * ill + draw.gauss(0, 2)
        marker_a = 2.0 + 0.8 * own[1] + 1.5 * ill + draw.gauss(0, 0.15)
        marker_b = 7.5 + 1.1 * own[2] - 1.9 * ill + draw.gauss(0, 0.2)
        row = [f"P{patient:03d}", age, sex, f"{pressure:.1f}", f"{marker_a:.2f}", f"{marker_b:.2f}", "ill" if ill else "well"]
        if draw.random() < 0.02:
            row[draw.choice((3, 4, 5))] = ""
        yield row


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", *header])
        for number, row in enumerate(rows):
            writer.writerow([number, *row])


def main():
    draw = random.Random(7)
    header = ["patient", "age", "sex", "pressure", "marker_a", "marker_b", "outcome"]
    write("clinic.csv", header, [row for patient in range(PATIENTS) for row in visits(draw, patient)])
    new = [next(visits(draw, PATIENTS + k)) for k in range(NEW)]
    order = [4, 5, 0, 2, 1, 3]  # columns in another order, and without the outcome
    write("new_visits.csv", [header[k] for k in order], [[row[k] for k in order] for row in new])


if __name__ == "__main__":
    main()
