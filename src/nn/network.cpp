// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/network.hpp"

#include <algorithm>

#include "krossfold/core/huge_pages.hpp"
#include "krossfold/kernels/gather_batch.hpp"
#include "krossfold/kernels/sgd.hpp"
#include "krossfold/kernels/softmax_cross_entropy.hpp"

namespace krossfold::nn {
namespace {

/// The largest of an amount over the dense layers.
template <class Amount>
std::int64_t most(const Architecture& architecture, const Amount& amount) {
  std::int64_t result = 0, inputs = architecture.dense_inputs();
  for (const int units : architecture.dense_units()) {
    result = std::max(result, static_cast<std::int64_t>(amount(inputs, units)));
    inputs = units;
  }
  return result;
}

/// Sizes of the arrays that the layers share, in floats.
struct SharedSizes {
  std::int64_t image, conv_output, partial, tile, work;

  SharedSizes(const Architecture& architecture, int batch, kernels::DenseForm form) {
    image = architecture.features() * batch + kernels::image_slack;
    conv_output = architecture.channels > 0 ? architecture.conv(batch).outputs() * batch + kernels::image_slack : 0;
    partial = most(architecture, [&](std::int64_t inputs, int units) {
      // Smaller batches of a network may take another form, with more partial sums.
      const int partials =
          std::max(kernels::dense_partials(form, inputs), kernels::dense_partials(kernels::DenseForm::teams, inputs));
      const int rows = form == kernels::DenseForm::gemm ? kernels::dense_rows_batch : batch;
      return std::max(std::int64_t{partials} * kernels::DenseShape{inputs, units, rows}.tile_size(),
                      std::int64_t{kernels::DenseShape{inputs, units, batch}.tile_size()});
    });
    tile = most(architecture, [&](std::int64_t, int units) {
      return kernels::DenseShape{0, units, batch}.tile_size();
    });
    work = form == kernels::DenseForm::gemm ? tile : 0;
  }
};

}  // namespace

template <class Exec>
Network<Exec>::Network(const Exec& exec, const Architecture& architecture, int batch)
    : exec_(exec), architecture_(architecture), batch_(batch) {
  check_architecture(architecture, "the network");
  const SharedSizes size(architecture, batch, kernels::best_dense_form<Exec>(batch));
  if (architecture.channels > 0) {
    const std::int64_t weights = std::int64_t{architecture.channels} * (architecture.conv(1).taps() + 1);
    conv_weight_ = zeros<Exec>("krossfold::nn::conv_weight", weights);
    conv_velocity_ = zeros<Exec>("krossfold::nn::conv_velocity", weights);
    conv_gradient_ = zeros<Exec>("krossfold::nn::conv_gradient", weights);
    conv_output_ = zeros<Exec>("krossfold::nn::conv_output", size.conv_output);
    conv_output_gradient_ = zeros<Exec>("krossfold::nn::conv_output_gradient", size.conv_output);
  }
  std::int64_t inputs = architecture.dense_inputs();
  for (const int units : architecture.dense_units()) {
    Dense layer;
    layer.inputs = inputs;
    layer.units = units;
    const auto shape = layer.shape(batch);
    layer.weight = zeros<Exec>("krossfold::nn::weight", shape.weights());
    layer.velocity = zeros<Exec>("krossfold::nn::velocity", shape.weights());
    layer.bias = zeros<Exec>("krossfold::nn::bias", shape.stride());
    layer.bias_velocity = zeros<Exec>("krossfold::nn::bias_velocity", shape.stride());
    layer.output = zeros<Exec>("krossfold::nn::output", shape.tile_size());
    layer.gradient = zeros<Exec>("krossfold::nn::gradient", shape.tile_size());
    dense_.push_back(layer);
    inputs = units;
  }
  image_ = zeros<Exec>("krossfold::nn::image", size.image);
  partial_ = zeros<Exec>("krossfold::nn::partial", size.partial);
  tile_ = zeros<Exec>("krossfold::nn::tile", size.tile);
  work_ = zeros<Exec>("krossfold::nn::work", size.work);
  label_ = Vector<int, Exec>("krossfold::nn::label", batch);
}

template <class Exec>
kernels::Activation Network<Exec>::activation_of(std::size_t layer) const {
  return layer + 1 < dense_.size() ? architecture_.activation : kernels::Activation::none;
}

template <class Exec>
void Network<Exec>::forward(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count) {
  kernels::gather_batch<Exec>(exec_, image_, label_, samples.value, samples.label, row, first, count);
  Vector<const float, Exec> input = image_;
  if (architecture_.channels > 0) {
    const auto shape = architecture_.conv(count);
    const auto weights = static_cast<std::size_t>(shape.taps()) * shape.channels;
    const Vector<const float, Exec> bias =
        Kokkos::subview(conv_weight_, Kokkos::make_pair(weights, conv_weight_.extent(0)));
    kernels::conv2d_relu<Exec>(exec_, kernels::best_conv_form<Exec>(), conv_output_, image_, conv_weight_, bias, shape);
    input = conv_output_;
  }
  const auto form = kernels::best_dense_form<Exec>(count);
  for (std::size_t l = 0; l < dense_.size(); ++l) {
    const Dense& layer = dense_[l];
    const auto shape = layer.shape(count);
    kernels::dense_forward<Exec>(exec_, form, partial_, layer.weight, input, shape, work_);
    kernels::activate<Exec>(exec_, layer.output, partial_, kernels::dense_partials(form, layer.inputs), layer.bias,
                            shape, activation_of(l));
    input = layer.output;
  }
}

template <class Exec>
void Network<Exec>::step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
                         float rate, float momentum, const Vector<double, Exec>& loss) {
  forward(samples, row, first, count);
  const Vector<const int, Exec> label = Kokkos::subview(label_, Kokkos::make_pair(0, count));
  kernels::softmax_cross_entropy<Exec>(exec_, loss, dense_.back().gradient, dense_.back().output, label,
                                       architecture_.classes, count);
  const auto form = kernels::best_dense_form<Exec>(count);
  const bool conv = architecture_.channels > 0;
  for (std::size_t l = dense_.size(); l-- > 0;) {
    const Dense& layer = dense_[l];
    const auto shape = layer.shape(count);
    kernels::activation_backward<Exec>(exec_, tile_, layer.bias, layer.bias_velocity, layer.gradient, layer.output,
                                       shape, activation_of(l), rate, momentum);
    kernels::DenseUpdate update;
    update.rate = rate;
    update.momentum = momentum;
    update.input_gradient = l > 0 || conv;
    // Without a gradient of the input its zeros may be skipped, too.
    update.input_is_rectified = l == 0 || architecture_.activation == kernels::Activation::relu;
    const auto& input = l > 0 ? dense_[l - 1].output : conv ? conv_output_ : image_;
    const auto& gradient = l > 0 ? dense_[l - 1].gradient : conv_output_gradient_;
    kernels::dense_backward<Exec>(exec_, form, layer.weight, layer.velocity, gradient, input, tile_, shape, update,
                                  work_);
  }
  if (conv) {
    const auto shape = architecture_.conv(count);
    const auto weights = static_cast<std::size_t>(shape.taps()) * shape.channels;
    const Vector<float, Exec> bias =
        Kokkos::subview(conv_gradient_, Kokkos::make_pair(weights, conv_gradient_.extent(0)));
    kernels::conv2d_gradient<Exec>(exec_, kernels::best_conv_form<Exec>(), conv_gradient_, bias, conv_output_gradient_,
                                   image_, shape);
    kernels::sgd<Exec>(exec_, conv_weight_, conv_velocity_, conv_gradient_, rate, momentum);
  }
}

template <class Exec>
Vector<const float, Exec> Network<Exec>::logits(const Samples& samples, const Vector<const int, Exec>& row,
                                                std::int64_t first, int count) {
  forward(samples, row, first, count);
  return dense_.back().output;
}

std::uint64_t network_bytes(const Architecture& architecture, int batch) {
  const SharedSizes size(architecture, batch, kernels::best_dense_form<Device>(batch));
  std::int64_t floats = size.image + 2 * size.conv_output + size.partial + size.tile + size.work;
  if (architecture.channels > 0) floats += 3 * std::int64_t{architecture.channels} * (architecture.conv(1).taps() + 1);
  std::int64_t inputs = architecture.dense_inputs();
  for (const int units : architecture.dense_units()) {
    const kernels::DenseShape shape{inputs, units, batch};
    floats += 2 * shape.weights() + 2 * shape.stride() + 2 * std::int64_t{shape.tile_size()};
    inputs = units;
  }
  return static_cast<std::uint64_t>(floats) * sizeof(float) + sizeof(int) * static_cast<std::uint64_t>(batch);
}

std::uint64_t state_bytes(const Architecture& architecture) {
  std::int64_t floats =
      architecture.channels > 0 ? std::int64_t{architecture.channels} * (architecture.conv(1).taps() + 1) : 0;
  std::int64_t inputs = architecture.dense_inputs();
  for (const int units : architecture.dense_units()) {
    const kernels::DenseShape shape{inputs, units, 1};
    floats += shape.weights() + shape.stride();
    inputs = units;
  }
  return 2 * static_cast<std::uint64_t>(floats) * sizeof(float);
}

template <class Exec>
void predict(Network<Exec>& network, const Samples<Exec>& samples, const Vector<const int, Exec>& row,
             std::int64_t first, std::int64_t count, const Matrix<float, Exec>& probability) {
  for (std::int64_t done = 0; done < count; done += network.batch()) {
    const int part = static_cast<int>(std::min<std::int64_t>(network.batch(), count - done));
    const auto logits = network.logits(samples, row, first + done, part);
    kernels::softmax<Exec>(network.exec(), probability, static_cast<int>(done), logits, network.architecture().classes,
                           part);
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                               \
  template class Network<Exec>;                                                                                   \
  template void predict<Exec>(Network<Exec>&, const Samples<Exec>&, const Vector<const int, Exec>&, std::int64_t, \
                              std::int64_t, const Matrix<float, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
