// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because options are checked by it.

#include <string>
#include <vector>

namespace krossfold::svm {

enum class KernelKind { rbf, linear, polynomial, precomputed };

/// A kernel function of samples x and z, in scaled features:
///
///   rbf          exp(-gamma |x - z|^2)
///   linear       x . z
///   polynomial   (gamma x . z + coef0)^degree
///   precomputed  a given number: feature j of a sample is its kernel value with sample j of the training file
///
/// The conventions are those of scikit-learn's SVC.
struct KernelFunction {
  KernelKind kind = KernelKind::rbf;
  double gamma = 1;  ///< of rbf and polynomial
  int degree = 3;    ///< of polynomial
  double coef0 = 0;  ///< of polynomial

  bool operator==(const KernelFunction&) const = default;
};

/// Higher powers of scaled features serve no purpose and soon overflow.
inline constexpr int largest_degree = 32;

/// Parses "rbf", "linear", "polynomial" or "precomputed"; throws an input error that suggests the nearest of them.
KernelKind parse_kernel_kind(const std::string& word);
std::string kernel_word(KernelKind kind);

/// True if the kernel has a parameter gamma.
bool has_gamma(KernelKind kind);

/// Throws an input error unless gamma is positive, the degree from 1 to largest_degree, and coef0 at least 0 (with a negative one
/// the polynomial is no kernel), each only of a kernel that has it.
void check_kernel(const KernelFunction& kernel);

}  // namespace krossfold::svm
