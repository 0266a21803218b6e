// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos.

#include <optional>
#include <string>

namespace krossfold::data {

/// The digits of a number without an exponent, as few as read back as the same double: "3" for 3.0, "0" for -0.0. None from 1e15 on, where
/// a double does not hold all digits, and below 1e-5.
std::optional<std::string> plain_digits(double number);

/// The name of the class that a label means. People and programs write a number in many ways: "3", "3.0", "+3" and "3.000e+00" (as
/// numpy.savetxt writes it) become "3". Words and codes (007, 1E2, more than 15 digits) stay as they are.
std::string one_spelling(const std::string& written);

}  // namespace krossfold::data
