# SPDX-License-Identifier: BSD-3-Clause
"""How sure the networks of an ensemble are of each sample, by the formulas of docs/ensembles.md, in double precision."""

import numpy as np


def votes_of(members, mean):
    """(votes (sample, class), the class with the most of them (sample)) of members (network, sample, class). A tie goes to the class of the largest
    mean probability, then to the lowest class."""
    votes = np.zeros(mean.shape, dtype=int)
    for choice in members.argmax(axis=2):
        votes[np.arange(len(choice)), choice] += 1
    leading = votes == votes.max(axis=1, keepdims=True)
    return votes, np.where(leading, mean, -1).argmax(axis=1)


def quartiles(members):
    """(5, sample, class): the least, the quartiles and the greatest of the networks' probabilities."""
    return np.quantile(members.astype(float), np.arange(5) / 4, axis=0)


def uncertainty(members, mean):
    """entropy of the mean probability q and mutual_information of the networks' probabilities p, in nats, and confidence, each (sample).

    The mutual information is the mean over the networks of the sum of p log(p / q), which is 0 where all agree, and never negative.
    """
    entropy = -(mean * np.log(mean, out=np.zeros_like(mean), where=mean > 0)).sum(axis=1)
    information = np.zeros(len(mean))
    for member in members:
        p = member.astype(float)
        away = np.divide(p - mean, mean, out=np.zeros_like(mean), where=p > 0)
        # log1p is accurate where p and q are close; where p is tiny beside q, away rounds to -1.
        near = np.log1p(away, out=np.zeros_like(mean), where=away > -0.5)
        far = np.log(np.divide(p, mean, out=np.ones_like(mean), where=p > 0))
        information += (p * np.where(away > -0.5, near, far)).sum(axis=1)
    return {"entropy": entropy, "mutual_information": np.maximum(information, 0) / len(members), "confidence": mean.max(axis=1)}
