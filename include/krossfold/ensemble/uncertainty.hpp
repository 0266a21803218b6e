// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// How sure an ensemble is of each sample; all (sample), entropies in nats (divide by log 2 for bits).
template <class Exec>
struct Uncertainty {
  Vector<double, Exec> confidence;  ///< max_c q_c, q = (1 / M) sum_m p_m: low for what is unlike the training data
                                    ///< (Hendrycks, Gimpel, ICLR 2017, for one model)
  Vector<double, Exec> predictive_entropy;  ///< H[q] = - sum_c q_c log q_c, in [0, log K]: all of the uncertainty
  Vector<double, Exec> expected_entropy;  ///< (1 / M) sum_m H[p_m]: what each member by itself is unsure of (aleatoric)
  Vector<double, Exec> mutual_information;  ///< H[q] - (1 / M) sum_m H[p_m]: how far the members disagree (epistemic)
};

/// Allocates the four vectors.
template <class Exec>
Uncertainty<Exec> make_uncertainty(int samples);

/// The four, after Houlsby, Huszar, Ghahramani, Lengyel, arXiv:1112.5745 (2011) ("BALD") and Depeweg, Hernandez-Lobato,
/// Doshi-Velez, Udluft, ICML 2018. 0 log 0 = 0. The mutual information is formed as
///   (1 / M) sum_m sum_c p_mc log(p_mc / q_c),   log(p / q) = log1p((p - q) / q) where these are near,
/// which is exactly 0 where all members say the same, keeps its digits where they nearly do, and is never negative.
/// Precondition: finite probabilities (else all four of that sample are NaN).
/// mean: (sample, class), q of mean_probability over the same members.
template <class Exec>
void measure_uncertainty(const Exec& exec, const Uncertainty<Exec>& uncertainty, const Members<Exec>& members,
                         const Matrix<const double, Exec>& mean);

}  // namespace krossfold::ensemble
