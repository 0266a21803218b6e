// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// G = T diag(w) T^T, the Gram matrix of the rows of T weighted by the columns' weights. T: r x m; w: (m), not negative. Columns
/// whose weight is at most `least` are left out.
/// g: (1, r * r) and at least that long. The lower triangle in LAPACK's column-major order, as cholesky() reads it; the other one
/// may be changed.
///
/// Host: BLAS' dsyrk on the columns that count, m r^2 operations. Device: a matrix product, twice as many.
template <class Exec>
void weighted_gram(const Exec& exec, const Matrix<double, Exec>& g, const Matrix<const double, Exec>& t,
                   const Vector<const double, Exec>& w, double least = 0);

/// G = sum_k weight(list_k) t_k t_k^T over the first `count` rows of the list. g: (1, r * r): the lower triangle in LAPACK's
/// column-major order, as cholesky() reads it; the other one may be changed. weight: (m), not negative.
///
/// Host: BLAS' dsyrk on rows in blocks that stay in the cache, count r^2 operations. Device: a matrix product, twice as many.
template <class Exec>
void listed_gram(const Exec& exec, const Matrix<double, Exec>& g, const Matrix<const double, Exec>& t,
                 const Vector<const int, Exec>& list, int count, const Vector<const double, Exec>& weight);

}  // namespace krossfold::kernels
