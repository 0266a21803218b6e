// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "block_sums.hpp"
#include "box.hpp"
#include "interior_system.hpp"
#include "krossfold/core/simd.hpp"

namespace krossfold::svm {

/// One problem over its m members, in terms of alpha.
template <class Exec>
struct Interior {
  Box<Exec> box;
  Vector<double, Exec> sign, upper;        ///< (m): of the box
  Vector<double, Exec> alpha, room;        ///< the distances from the two bounds, each with all its digits
  Vector<double, Exec> z, w;               ///< the multipliers of the bounds
  Vector<double, Exec> q;                  ///< Q alpha
  Vector<double, Exec> side, u, by_sign;   ///< right-hand side, solution, and that for y
  Vector<double, Exec> d_alpha, d_z, d_w;  ///< the direction
  Vector<double, Exec> e_alpha, e_z, e_w;  ///< what a centrality corrector adds to it
  Vector<double, Exec> rounded;            ///< alpha with exact bounds
  double nu = 0;

  int members() const { return box.members(); }
};

/// sum of alpha z + room w after a step of that length.
template <class Exec>
double complementarity(const Exec& exec, const Interior<Exec>& point, const InteriorSystem<Exec>& system,
                       double length) {
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w, da = point.d_alpha, dz = point.d_z,
             dw = point.d_w;
  if (length == 0) {
    return sum_over(
        exec, point.members(), system.partial, KOKKOS_LAMBDA(int i) { return alpha(i) * z(i) + room(i) * w(i); });
  }
  return sum_over(
      exec, point.members(), system.partial, KOKKOS_LAMBDA(int i) {
        return (alpha(i) + length * da(i)) * (z(i) + length * dz(i)) +
               (room(i) - length * da(i)) * (w(i) + length * dw(i));
      });
}

/// The longest step, at most 1, that leaves alpha, room, z and w positive, in the direction with `share` of the corrector.
template <class Exec>
double longest_step(const Exec& exec, const Interior<Exec>& point, const InteriorSystem<Exec>& system,
                    double share = 0) {
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w, da = point.d_alpha, dz = point.d_z,
             dw = point.d_w, ea = point.e_alpha, ez = point.e_z, ew = point.e_w;
  const bool corrected = share != 0;
  // The largest of -dx / x is the inverse of the shortest way to a bound.
  const double steepest = max_over(
      exec, point.members(), system.partial, KOKKOS_LAMBDA(int i) {
        const double of_alpha = corrected ? da(i) + share * ea(i) : da(i),
                     of_z = corrected ? dz(i) + share * ez(i) : dz(i), of_w = corrected ? dw(i) + share * ew(i) : dw(i);
        const double a = -of_alpha / alpha(i), b = of_alpha / room(i), c = -of_z / z(i), d = -of_w / w(i);
        const double ab = a > b ? a : b, cd = c > d ? c : d;
        return ab > cd ? ab : cd;
      });
  return steepest > 1 ? 1 / steepest : 1.0;
}

/// The direction whose products alpha z and room w are to become `target`, from side = -(Q alpha - 1 + nu y - z + w) and, in the
/// corrector, with the predictor's products. Returns the change of nu.
template <class Exec>
double find_direction(const Exec& exec, const Interior<Exec>& point, const InteriorSystem<Exec>& system, double target,
                      bool correct, double balance, double sign_by_sign) {
  const int m = point.members();
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w, da = point.d_alpha, dz = point.d_z,
             dw = point.d_w, q = point.q, side = point.side, u = point.u, by_sign = point.by_sign, sign = point.sign;
  const double nu = point.nu;
  const Kokkos::RangePolicy<Exec> members(exec, 0, m);
  Kokkos::parallel_for(
      "krossfold::svm::interior_side", members, KOKKOS_LAMBDA(int i) {
        // d_z and d_w hold from here on what the products lack.
        dz(i) = target - alpha(i) * z(i) - (correct ? da(i) * dz(i) : 0.0);
        dw(i) = target - room(i) * w(i) + (correct ? da(i) * dw(i) : 0.0);
        const double dual = q(i) - 1 + nu * sign(i) - z(i) + w(i);
        side(i) = -dual + dz(i) / alpha(i) - dw(i) / room(i);
      });
  // The predictor only serves to choose the centring.
  solve<Exec>(exec, system, side, u, correct ? 1e-6 : 1e-3);
  const double along = sum_over(
      exec, m, system.partial, KOKKOS_LAMBDA(int i) { return sign(i) * u(i); });
  const double by = (along + balance) / sign_by_sign;
  Kokkos::parallel_for(
      "krossfold::svm::interior_direction", members, KOKKOS_LAMBDA(int i) {
        da(i) = u(i) - by * by_sign(i);
        dz(i) = (dz(i) - z(i) * da(i)) / alpha(i);
        dw(i) = (dw(i) + w(i) * da(i)) / room(i);
      });
  return by;
}

/// Improves the direction, whose longest step is `length`, by a corrector (Gondzio, Comput. Optim. Appl. 6 (1996)): of the products that a
/// longer step would leave far from the target, it brings those back that are outside of [0.1, 10] targets. As much of it is added
/// as makes the step longest (Colombo and Gondzio, Comput. Optim. Appl. 41 (2008)). Returns that step, `length` if it does not help.
template <class Exec>
double correct_centrality(const Exec& exec, const Interior<Exec>& point, const InteriorSystem<Exec>& system,
                          double target, double length, double sign_by_sign, double& change_of_nu) {
  constexpr double further = 0.3, band = 10;
  const int m = point.members();
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w, da = point.d_alpha, dz = point.d_z,
             dw = point.d_w, ea = point.e_alpha, ez = point.e_z, ew = point.e_w, side = point.side, u = point.u,
             by_sign = point.by_sign, sign = point.sign;
  const double tried = std::min(1.0, length + further);
  const Kokkos::RangePolicy<Exec> members(exec, 0, m);
  Kokkos::parallel_for(
      "krossfold::svm::interior_centrality", members, KOKKOS_LAMBDA(int i) {
        const double low = target / band, high = target * band;
        const auto missing = [=](double product) {
          const double lacks = product < low ? low - product : product > high ? high - product : 0.0;
          return lacks < -high ? -high : lacks;
        };
        ez(i) = missing((alpha(i) + tried * da(i)) * (z(i) + tried * dz(i)));
        ew(i) = missing((room(i) - tried * da(i)) * (w(i) + tried * dw(i)));
        side(i) = ez(i) / alpha(i) - ew(i) / room(i);
      });
  solve<Exec>(exec, system, side, u, 1e-3);
  const double by = sum_over(
                        exec, m, system.partial, KOKKOS_LAMBDA(int i) { return sign(i) * u(i); }) /
                    sign_by_sign;
  Kokkos::parallel_for(
      "krossfold::svm::interior_corrector", members, KOKKOS_LAMBDA(int i) {
        ea(i) = u(i) - by * by_sign(i);
        ez(i) = (ez(i) - z(i) * ea(i)) / alpha(i);
        ew(i) = (ew(i) + w(i) * ea(i)) / room(i);
      });
  double best = 0, longest = length;
  for (const double share : {1.0, 0.7, 0.4, 0.2}) {
    const double step = longest_step(exec, point, system, share);
    if (step > longest) {
      longest = step;
      best = share;
    }
  }
  if (longest < length + 0.1 * further) return length;
  Kokkos::parallel_for(
      "krossfold::svm::interior_corrected", members, KOKKOS_LAMBDA(int i) {
        da(i) += best * ea(i);
        dz(i) += best * ez(i);
        dw(i) += best * ew(i);
      });
  change_of_nu += best * by;
  return longest;
}

template <class Exec>
void move(const Exec& exec, Interior<Exec>& point, double length, double change_of_nu) {
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w, da = point.d_alpha, dz = point.d_z,
             dw = point.d_w;
  Kokkos::parallel_for(
      "krossfold::svm::interior_move", Kokkos::RangePolicy<Exec>(exec, 0, point.members()), KOKKOS_LAMBDA(int i) {
        alpha(i) += length * da(i);
        room(i) -= length * da(i);
        z(i) += length * dz(i);
        w(i) += length * dw(i);
      });
  point.nu += length * change_of_nu;
}

}  // namespace krossfold::svm
