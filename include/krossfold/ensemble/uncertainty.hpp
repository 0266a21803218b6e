// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// An ensemble's uncertainty about each sample; all (sample), entropies in nats (divide by log 2 for bits).
template <class Exec>
struct Uncertainty {
  Vector<double, Exec> confidence;  ///< max_c q_c, q = (1 / M) sum_m p_m: low for samples unlike the training data
                                    ///< (Hendrycks, Gimpel, ICLR 2017, for one model)
  Vector<double, Exec> predictive_entropy;  ///< H[q] = - sum_c q_c log q_c, in [0, log K]: total uncertainty
  Vector<double, Exec> expected_entropy;    ///< (1 / M) sum_m H[p_m]: the members' own uncertainty (aleatoric)
  Vector<double, Exec> mutual_information;  ///< H[q] - (1 / M) sum_m H[p_m]: the members' disagreement (epistemic)
};

/// Allocates the four vectors.
template <class Exec>
Uncertainty<Exec> make_uncertainty(int samples);

/// Computes the four measures, after Houlsby, Huszar, Ghahramani, Lengyel, arXiv:1112.5745 (2011) ("BALD") and Depeweg,
/// Hernandez-Lobato, Doshi-Velez, Udluft, ICML 2018, with 0 log 0 = 0. The mutual information is computed as
///   (1 / M) sum_m sum_c p_mc log(p_mc / q_c),   log(p / q) = log1p((p - q) / q) where p and q are close,
/// which is exactly 0 if all members agree, accurate if they nearly do, and never negative.
/// Precondition: finite probabilities (else all four of that sample are NaN).
/// mean: (sample, class), q of mean_probability over the same members.
template <class Exec>
void measure_uncertainty(const Exec& exec, const Uncertainty<Exec>& uncertainty, const Members<Exec>& members,
                         const Matrix<const double, Exec>& mean);

}  // namespace krossfold::ensemble
