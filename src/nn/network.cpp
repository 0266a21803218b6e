// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/network.hpp"

#include <algorithm>
#include <type_traits>

#include "dense_pieces.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/huge_pages.hpp"
#include "krossfold/core/launch_graph.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/column_sums.hpp"
#include "krossfold/kernels/gather_batch.hpp"
#include "krossfold/kernels/sgd.hpp"
#include "krossfold/kernels/softmax_cross_entropy.hpp"
#include "layer_split.hpp"
#include "part_of.hpp"

namespace krossfold::nn {
namespace {

/// The maximum of an amount over the dense layers.
template <class Amount>
std::int64_t most(const Architecture& architecture, const std::vector<InputRange>& inputs, const Amount& amount) {
  std::int64_t result = 0;
  const std::vector<int> units = architecture.dense_units();
  for (std::size_t l = 0; l < units.size(); ++l) {
    result = std::max(result, static_cast<std::int64_t>(amount(inputs[l].count, units[l])));
  }
  return result;
}

/// Sizes in floats of the buffers shared by the layers.
struct SharedSizes {
  std::int64_t image, conv_output, partial, tile, work;

  /// form: of a whole batch, small_form: of smaller ones.
  SharedSizes(const Architecture& architecture, const std::vector<InputRange>& ranges, int batch,
              kernels::DenseForm form, kernels::DenseForm small_form) {
    image = architecture.features() * batch + kernels::image_slack;
    conv_output = architecture.channels > 0 ? ranges[0].count * batch + kernels::image_slack : 0;
    partial = most(architecture, ranges, [&](std::int64_t inputs, int units) {
      const int partials = std::max(kernels::dense_partials(form, inputs), kernels::dense_partials(small_form, inputs));
      const int rows = form == kernels::DenseForm::gemm ? kernels::dense_rows_batch : batch;
      return std::max(std::int64_t{partials} * kernels::DenseShape{inputs, units, rows}.tile_size(),
                      std::int64_t{kernels::DenseShape{inputs, units, batch}.tile_size()});
    });
    tile = most(architecture, ranges, [&](std::int64_t, int units) {
      return kernels::DenseShape{0, units, batch}.tile_size();
    });
    work = form == kernels::DenseForm::gemm ? tile : 0;
  }
};

/// sum(k) = sum over p of partial(p, k). A device has many of them.
template <class Exec>
void sum_partials(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& partial) {
  if constexpr (std::is_same_v<Exec, Host>) {
    sum_rows<Exec>(exec, sum, partial);
  } else {
    kernels::column_sums<Exec>(exec, sum, partial, false, {});
  }
}

/// choice(s) = the class c of the largest z(c, s), at c * count + s, or -1 if any is NaN.
template <class Exec>
void choose(const Exec& exec, const Vector<double, Exec>& choice, const Vector<const float, Exec>& z, int classes,
            int count) {
  Kokkos::parallel_for(
      "krossfold::nn::choose", Kokkos::RangePolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(int s) {
        int best = 0;
        bool number = true;
        for (int c = 0; c < classes; ++c) {
          number = number && z(c * count + s) == z(c * count + s);
          if (z(c * count + s) > z(best * count + s)) best = c;
        }
        choice(s) = number ? best : -1;
      });
}

}  // namespace

template <class Exec>
Network<Exec>::Network(const Exec& exec, const Architecture& architecture, int batch, Exchange<Exec>* others,
                       const Poll& poll)
    : exec_(exec),
      architecture_(architecture),
      batch_(batch),
      others_(others != nullptr && others->shards > 1 ? others : nullptr) {
  check_architecture(architecture, "the network");
  const int part = others_ != nullptr ? others_->first_shard : 0, parts = others_ != nullptr ? others_->shards : 1;
  check_split(architecture, parts);
  channels_ = channels_of(architecture, part, parts);
  const std::vector<InputRange> ranges = input_ranges(architecture, part, parts);
  const std::vector<int> units = architecture.dense_units();
  const SharedSizes size(architecture, ranges, batch, kernels::best_dense_form<Exec>(batch),
                         kernels::best_dense_form<Exec>(1));
  if (architecture.channels > 0) {
    const std::int64_t weights = std::int64_t{channels_.count} * (architecture.conv(1).taps() + 1);
    conv_weight_ = zeros<Exec>("krossfold::nn::conv_weight", weights);
    conv_velocity_ = zeros<Exec>("krossfold::nn::conv_velocity", weights);
    conv_gradient_ = zeros<Exec>("krossfold::nn::conv_gradient", weights);
    conv_output_ = zeros<Exec>("krossfold::nn::conv_output", size.conv_output);
    conv_output_gradient_ = zeros<Exec>("krossfold::nn::conv_output_gradient", size.conv_output);
  }
  for (std::size_t l = 0; l < units.size(); ++l) {
    Dense layer;
    layer.first_input = ranges[l].first;
    layer.inputs = ranges[l].count;
    layer.units = units[l];
    const auto shape = layer.shape(batch);
    layer.weight = zeros<Exec>("krossfold::nn::weight", shape.weights(), poll);
    layer.velocity = zeros<Exec>("krossfold::nn::velocity", shape.weights(), poll);
    layer.bias = zeros<Exec>("krossfold::nn::bias", shape.stride());
    layer.bias_velocity = zeros<Exec>("krossfold::nn::bias_velocity", shape.stride());
    layer.output = zeros<Exec>("krossfold::nn::output", shape.tile_size());
    layer.gradient = zeros<Exec>("krossfold::nn::gradient", shape.tile_size());
    if (architecture.dropout > 0 && l + 1 < units.size()) {
      layer.dropped = zeros<Exec>("krossfold::nn::dropped", shape.tile_size());
    }
    dense_.push_back(layer);
  }
  image_ = zeros<Exec>("krossfold::nn::image", size.image);
  partial_ = zeros<Exec>("krossfold::nn::partial", size.partial);
  tile_ = zeros<Exec>("krossfold::nn::tile", size.tile);
  work_ = zeros<Exec>("krossfold::nn::work", size.work);
  label_ = Vector<int, Exec>("krossfold::nn::label", batch);
  for (const Dense& layer : dense_) {
    if (others_ != nullptr) others_->expect_sums(layer.shape(batch).tile_size());
  }
}

template <class Exec>
kernels::Activation Network<Exec>::activation_of(std::size_t layer) const {
  return layer + 1 < dense_.size() ? architecture_.activation : kernels::Activation::none;
}

template <class Exec>
kernels::ConvShape Network<Exec>::conv_shape(int count) const {
  kernels::ConvShape shape = architecture_.conv(count);
  shape.channels = channels_.count;
  return shape;
}

/// The convolution's biases, which follow its weights.
template <class Exec>
Vector<float, Exec> Network<Exec>::biases(const Vector<float, Exec>& conv) const {
  return part_of<Exec>(conv, static_cast<std::int64_t>(conv.extent(0)) - channels_.count, channels_.count);
}

template <class Exec>
bool Network<Exec>::drops(const Part& part, std::size_t layer) const {
  return part.dropout.on && dense_[layer].dropped.extent(0) > 0;
}

template <class Exec>
kernels::DropoutParams Network<Exec>::dropout_of(const Part& part, std::size_t layer) const {
  return {part.dropout.of(layer), architecture_.dropout, static_cast<int>(part.first), part.dropout.epoch_on_device};
}

/// The inputs of a dense layer that are on this worker.
template <class Exec>
Vector<const float, Exec> Network<Exec>::input_of(const Part& part, std::size_t layer) const {
  const std::int64_t first = dense_[layer].first_input * part.count, count = dense_[layer].inputs * part.count;
  if (layer > 0)
    return part_of<Exec>(drops(part, layer - 1) ? dense_[layer - 1].dropped : dense_[layer - 1].output, first, count);
  return architecture_.channels > 0 ? conv_output_ : part_of<Exec>(image_, first, count);
}

template <class Exec>
void Network<Exec>::forward(const Part& part, const Poll* poll) {
  const StepPoll polled(poll_within_step(poll));
  const int count = part.count;
  kernels::gather_batch<Exec>(exec_, image_, label_, part.samples.value, part.samples.label, part.row, part.first,
                              count);
  if (architecture_.channels > 0) {
    kernels::conv2d_relu<Exec>(exec_, kernels::best_conv_form<Exec>(), conv_output_, image_, conv_weight_,
                               biases(conv_weight_), conv_shape(count));
  }
  const auto form = kernels::best_dense_form<Exec>(count);
  for (std::size_t l = 0; l < dense_.size(); ++l) {
    const Dense& layer = dense_[l];
    const auto shape = layer.shape(count);
    int partials = kernels::dense_partials(form, layer.inputs);
    dense_forward<Exec>(exec_, form, {partial_, layer.weight, input_of(part, l), work_}, shape, polled);
    if (others_ != nullptr) {
      const auto own = part_of<Exec>(tile_, 0, shape.tile_size());
      sum_partials<Exec>(exec_, own, Matrix<const float, Exec>(partial_.data(), partials, shape.tile_size()));
      others_->sum_shards(exec_, part_of<Exec>(partial_, 0, shape.tile_size()),
                          Matrix<const float, Exec>(own.data(), 1, shape.tile_size()));
      partials = 1;
    }
    kernels::activate<Exec>(exec_, layer.output, partial_, partials, layer.bias, shape, activation_of(l));
    if (drops(part, l)) {
      kernels::dropout_units<Exec>(exec_, layer.dropped, layer.output, part.row, layer.units, count,
                                   dropout_of(part, l));
    }
  }
}

/// Follows forward(): takes a descent step or, if `gradients` is given, computes the gradients instead.
template <class Exec>
void Network<Exec>::backward(const Part& part, int whole, const Descent& descent, const Gradients<Exec>* gradients,
                             const Vector<double, Exec>& loss, const Poll* poll) {
  const StepPoll polled(poll_within_step(poll));
  const int count = part.count;
  const Vector<const int, Exec> label = Kokkos::subview(label_, Kokkos::make_pair(0, count));
  kernels::softmax_cross_entropy<Exec>(exec_, loss, dense_.back().gradient, dense_.back().output, label,
                                       architecture_.classes, whole);
  if (part.samples.weight.extent(0) != 0) {
    kernels::weigh_losses<Exec>(exec_, loss, dense_.back().gradient, architecture_.classes, part.samples.weight,
                                part.row, part.first, count);
  }
  const auto form = kernels::best_dense_form<Exec>(count);
  const bool conv = architecture_.channels > 0;
  for (std::size_t l = dense_.size(); l-- > 0;) {
    const Dense& layer = dense_[l];
    const auto shape = layer.shape(count);
    if (drops(part, l)) {
      kernels::dropout_units<Exec>(exec_, layer.gradient, layer.gradient, part.row, layer.units, count,
                                   dropout_of(part, l));
    }
    // With rate and momentum 0 the velocity array receives the gradient.
    const auto* wanted = gradients != nullptr ? &gradients->dense[l] : nullptr;
    const kernels::BiasStep<Exec> bias{layer.bias, wanted != nullptr ? wanted->bias : layer.bias_velocity, descent.rate,
                                       descent.momentum};
    kernels::activation_backward<Exec>(exec_, tile_, bias, layer.gradient, layer.output, shape, activation_of(l));
    const auto input = input_of(part, l);
    kernels::DenseUpdate update;
    update.rate = descent.rate;
    update.momentum = descent.momentum;
    update.weights = wanted == nullptr || wanted->weight.extent(0) > 0;
    update.input_gradient = l > 0 || conv;
    // If no input gradient is needed, zeros of the input may be skipped, too.
    update.input_is_rectified = l == 0 || architecture_.activation == kernels::Activation::relu;
    if (!update.weights) {
      Kokkos::deep_copy(exec_, wanted->x,
                        Kokkos::subview(input, Kokkos::make_pair(std::size_t{0}, wanted->x.extent(0))));
      Kokkos::deep_copy(exec_, wanted->dy, part_of<Exec>(tile_, 0, shape.tile_size()));
    }
    const auto gradient = l > 0 ? part_of<Exec>(dense_[l - 1].gradient, layer.first_input * count, layer.inputs * count)
                                : conv_output_gradient_;
    if (update.weights || update.input_gradient) {
      const auto& velocity = wanted != nullptr ? wanted->weight : layer.velocity;
      dense_backward<Exec>(exec_, form, {layer.weight, velocity, gradient, input, tile_, work_}, shape, update, polled);
    }
    if (gradients != nullptr && gradients->found) gradients->found(static_cast<int>(l));
    if (others_ != nullptr && l > 0) {
      std::vector<std::int64_t> begin;
      for (int w = 0; w <= others_->shards; ++w) {
        begin.push_back(std::int64_t{share_of(dense_[l - 1].units, w, others_->shards).first} * count);
      }
      others_->gather_shards(exec_, part_of<Exec>(dense_[l - 1].gradient, 0, begin.back()), begin);
    }
  }
  if (!conv) return;
  const auto& own = gradients != nullptr ? gradients->conv : conv_gradient_;
  kernels::conv2d_gradient<Exec>(exec_, kernels::best_conv_form<Exec>(), own, biases(own), conv_output_gradient_,
                                 image_, conv_shape(count));
  if (gradients != nullptr && gradients->found) gradients->found(-1);
  if (gradients == nullptr) {
    kernels::sgd<Exec>(exec_, conv_weight_, conv_velocity_, conv_gradient_, descent.rate, descent.momentum);
  }
}

template <class Exec>
void Network<Exec>::step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
                         const StepParams& params, const Vector<double, Exec>& loss) {
  const auto* epoch = params.begun ? epoch_.get() : nullptr;
  const Part part{samples, row, first, count, {true, params.stream, params.epoch, epoch}};
  forward(part, params.poll);
  backward(part, count, {static_cast<float>(params.rate), static_cast<float>(params.momentum)}, nullptr, loss,
           params.poll);
}

template <class Exec>
bool Network<Exec>::repeats(int count) const {
  return repeats_launches<Exec> && others_ == nullptr &&
         kernels::best_dense_form<Exec>(count) != kernels::DenseForm::gemm;
}

template <class Exec>
void Network<Exec>::step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
                         float rate, float momentum, const Vector<double, Exec>& loss) {
  const Part part{samples, row, first, count};
  forward(part);
  backward(part, count, {rate, momentum}, nullptr, loss);
}

template <class Exec>
void Network<Exec>::backward(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
                             int whole, const DropoutStream& dropout, const Gradients<Exec>& gradients,
                             const Vector<double, Exec>& loss) {
  const Part part{samples, row, first, count, dropout};
  forward(part);
  backward(part, whole, {}, &gradients, loss);
}

template <class Exec>
void Network<Exec>::evaluate(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
                             const Vector<double, Exec>& loss, const Vector<double, Exec>& choice) {
  forward({samples, row, first, count});
  const Vector<const int, Exec> label = Kokkos::subview(label_, Kokkos::make_pair(0, count));
  const int classes = architecture_.classes;
  kernels::softmax_cross_entropy<Exec>(exec_, loss, dense_.back().gradient, dense_.back().output, label, classes, 1);
  choose<Exec>(exec_, choice, dense_.back().output, classes, count);
}

template <class Exec>
Vector<const float, Exec> Network<Exec>::logits(const Samples& samples, const Vector<const int, Exec>& row,
                                                std::int64_t first, int count) {
  forward({samples, row, first, count});
  return dense_.back().output;
}

void check_split(const Architecture& architecture, int workers) {
  for (int part = 0; part < workers; ++part) {
    for (const InputRange& range : input_ranges(architecture, part, workers)) {
      if (range.count == 0) {
        throw_input_error(text(describe(architecture), " cannot be split over ", workers, " workers"),
                          "a layer has fewer channels or inputs", "Use fewer workers.");
      }
    }
  }
}

std::uint64_t network_bytes(const Architecture& architecture, int batch, int parts) {
  const std::vector<InputRange> ranges = input_ranges(architecture, parts - 1, parts);  // the last part is largest
  const std::vector<int> units = architecture.dense_units();
  const auto sizes_of = [&](const std::vector<InputRange>& inputs) {
    return SharedSizes(architecture, inputs, batch, kernels::best_dense_form<Device>(batch),
                       kernels::best_dense_form<Device>(1));
  };
  const SharedSizes size = sizes_of(ranges);
  // Of fewer inputs a device may have more partial sums.
  const std::int64_t partial = std::max(size.partial, sizes_of(input_ranges(architecture, 0, parts)).partial);
  std::int64_t floats = size.image + 2 * size.conv_output + partial + size.tile + size.work;
  if (architecture.channels > 0) {
    floats += 3 * std::int64_t{channels_of(architecture, parts - 1, parts).count} * (architecture.conv(1).taps() + 1);
  }
  for (std::size_t l = 0; l < units.size(); ++l) {
    const kernels::DenseShape shape{ranges[l].count, units[l], batch};
    const int arrays = architecture.dropout > 0 && l + 1 < units.size() ? 3 : 2;
    floats += 2 * shape.weights() + 2 * shape.stride() + arrays * std::int64_t{shape.tile_size()};
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
