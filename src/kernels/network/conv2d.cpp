// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/conv2d.hpp"

#include <type_traits>

#include "conv2d_forms.hpp"

namespace krossfold::kernels {

template <class Exec>
ConvForm best_conv_form() {
  return std::is_same_v<Exec, Host> ? ConvForm::packs : ConvForm::threads;
}

template <class Exec>
void conv2d_relu(const Exec& exec, ConvForm form, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                 const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                 const ConvShape& shape) {
  if constexpr (std::is_same_v<Exec, Host>) {
    if (form == ConvForm::packs) return ConvPacks::forward<Exec>(exec, y, image, weight, bias, shape);
  }
  ConvThreads::forward<Exec>(exec, y, image, weight, bias, shape);
}

template <class Exec>
void conv2d_gradient(const Exec& exec, ConvForm form, const Vector<float, Exec>& dweight,
                     const Vector<float, Exec>& dbias, const Vector<const float, Exec>& dy,
                     const Vector<const float, Exec>& image, const ConvShape& shape) {
  if constexpr (std::is_same_v<Exec, Host>) {
    if (form == ConvForm::packs) return ConvPacks::gradient<Exec>(exec, dweight, dbias, dy, image, shape);
  }
  ConvThreads::gradient<Exec>(exec, dweight, dbias, dy, image, shape);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template ConvForm best_conv_form<Exec>();                                                                            \
  template void conv2d_relu<Exec>(const Exec&, ConvForm, const Vector<float, Exec>&, const Vector<const float, Exec>&, \
                                  const Vector<const float, Exec>&, const Vector<const float, Exec>&,                  \
                                  const ConvShape&);                                                                   \
  template void conv2d_gradient<Exec>(const Exec&, ConvForm, const Vector<float, Exec>&, const Vector<float, Exec>&,   \
                                      const Vector<const float, Exec>&, const Vector<const float, Exec>&,              \
                                      const ConvShape&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
