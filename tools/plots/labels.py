# SPDX-License-Identifier: BSD-3-Clause
"""Names beside points, where neither covers another."""

from plots import np

DIRECTIONS = [(np.cos(angle), np.sin(angle)) for angle in np.arange(16) * np.pi / 8]
DISTANCES = (9, 16, 26, 38, 54, 74, 100, 130)  # points (1/72 inch)
MARGIN = 2  # pixels


def around(place, reach):
    return (*(place - reach), *(place + reach))


def covers(box, others):
    return any(box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in others)


def label_points(figure, axes, x, y, names, size=8):
    """Writes each name as near to its point as there is room, those in the densest crowd first; a line leads to a point further off.
    To be called when the figure is complete."""
    figure.canvas.draw()
    renderer, scale = figure.canvas.get_renderer(), figure.dpi / 72
    places = axes.transData.transform(np.column_stack([x, y]))
    frame, taken = axes.get_window_extent(renderer), [around(place, 4) for place in places]
    texts = []
    crowd = [float(np.sort(np.hypot(*(places - place).T))[:4].sum()) for place in places]
    for k in np.argsort(crowd, kind="stable"):
        others = taken[:k] + taken[k + 1 :]  # the first boxes are those of the points
        text = axes.annotate(names[k], (x[k], y[k]), (0, 0), textcoords="offset points", ha="center", va="center", fontsize=size,
                             bbox={"fc": "white", "ec": "none", "alpha": 0.7, "pad": 0.5})  # fmt: skip
        text.set_in_layout(False)
        extent = text.get_window_extent(renderer)
        half = np.array([extent.width, extent.height]) / 2 + MARGIN
        found = {}  # by how crowded the place is
        for distance, way in ((distance, np.array(way)) for distance in DISTANCES for way in DIRECTIONS):
            end = places[k] + way * distance * scale
            middle = end + half * np.sign(np.round(way, 6)) * np.minimum(1, np.abs(way) * 2**0.5)  # the border, not the middle, is that far
            box, leader = (*(middle - half), *(middle + half)), []
            if distance > DISTANCES[0]:
                leader = [around(places[k] + t * (end - places[k]), 1) for t in np.linspace(0, 1, 20)]
            within = frame.x0 < box[0] and frame.y0 < box[1] and box[2] < frame.x1 and box[3] < frame.y1
            # Without a line, the name belongs to the point that is nearest to it.
            apart = np.hypot(*np.maximum(0, np.abs(places - middle) - half).T)
            clear = leader or apart[k] < 0.7 * np.delete(apart, k).min(initial=np.inf)
            if not (within and clear) or covers(box, texts):
                continue
            crossed = any(covers(part, others) for part in leader)
            found.setdefault(2 if covers(box, taken) else 1 if crossed else 0, (middle, end, box, leader))
            if 0 in found:
                break
        middle, end, box, leader = found[min(found)] if found else (middle, end, box, leader)
        taken += [box, *leader]
        texts.append(box)
        text.set_position((middle - places[k]) / scale)
        if leader:
            line = [(x[k], y[k]), axes.transData.inverted().transform(end)]
            axes.plot(*zip(*line), color="0.3", lw=0.6, scalex=False, scaley=False, zorder=1.5, gid="leader")[0].set_in_layout(False)
