// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "interchange/pairwise.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/interchange/onnx_model.hpp"
#include "onnx_samples.hpp"

namespace krossfold::interchange {

namespace {

using svm::KernelKind;

/// The graph of a machine, part by part; each part adds nodes and returns the name of its result.
class SvmGraph {
public:
  SvmGraph(const svm::Machine& machine, std::string name)
      : machine_(machine), name_(std::move(name)), problems_(machine.problems()), classes_(machine.classes()) {}

  std::vector<std::byte> file() {
    std::string samples = add_samples(graph_, machine_.image, machine_.features());
    if (machine_.kernel.kind == KernelKind::precomputed) {
      samples = graph_.cast(samples, OnnxType::float64, "samples");
    } else {
      samples = add_scale(graph_, samples, machine_.scale, "scaled");
    }
    const std::string decision = graph_.node("Add", {weighted_kernel(samples), constants()}, "decision");
    graph_.output(decision, OnnxType::float64, {"N", problems_});
    const bool rest = machine_.multiclass == svm::Multiclass::one_vs_rest;
    add_label(graph_, rest ? decision : votes(decision), machine_.class_name);
    if (!machine_.sigmoid.empty()) {
      const std::string falling = sigmoid_arguments(decision);
      rest ? rest_probabilities(falling) : pair_probabilities(falling);
      graph_.output("probability", OnnxType::float64, {"N", classes_});
    }
    describe_samples(graph_, machine_.class_name, machine_.support.encoding);
    describe_list(graph_, "problems", svm::problem_names(machine_.multiclass, machine_.class_name));
    return graph_.finish(name_);
  }

private:
  std::string constant(const char* name, const OnnxGraph::Shape& shape, const std::vector<double>& values) {
    return graph_.constant(name, shape, values);
  }

  std::string constants() { return constant("constant", {problems_}, constants_of(machine_)); }

  /// sum_i coefficient(p, i) K(x_i, x), (N, problem).
  std::string weighted_kernel(const std::string& samples) {
    if (machine_.support.size() == 0) {  // every sample has the same decision values
      return graph_.node("MatMul",
                         {samples, constant("no_weight", {machine_.features(), problems_},
                                            std::vector<double>(static_cast<std::size_t>(machine_.features()) *
                                                                    static_cast<std::size_t>(problems_),
                                                                0.0))},
                         "weighted");
    }
    if (machine_.kernel.kind == KernelKind::linear) {
      return graph_.node("MatMul", {samples, weights()}, "weighted");
    }
    std::vector<double> coefficient;
    for (int i = 0; i < machine_.support.size(); ++i) {
      for (int p = 0; p < problems_; ++p) coefficient.push_back(machine_.coefficient(p, i));
    }
    const std::string name = constant("coefficient", {machine_.support.size(), problems_}, coefficient);
    return graph_.node("MatMul", {kernel(samples), name}, "weighted");
  }

  /// The vectors of a linear machine, (feature, problem).
  std::string weights() {
    const int features = machine_.features();
    std::vector<double> weight(static_cast<std::size_t>(features) * static_cast<std::size_t>(problems_), 0.0);
    for (int i = 0; i < machine_.support.size(); ++i) {
      for (int j = 0; j < features; ++j) {
        const double value = (machine_.support.raw(i, j) - machine_.scale.offset_of(j)) / machine_.scale.divisor_of(j);
        double* row = &weight[static_cast<std::size_t>(j) * static_cast<std::size_t>(problems_)];
        for (int p = 0; p < problems_; ++p) row[p] += machine_.coefficient(p, i) * value;
      }
    }
    return constant("weight", {features, problems_}, weight);
  }

  /// Kernel values (N, support vector).
  std::string kernel(const std::string& samples) {
    const svm::KernelFunction& function = machine_.kernel;
    if (function.kind == KernelKind::precomputed) {
      const std::vector<std::int64_t> column(machine_.column.begin(), machine_.column.end());
      return graph_.node("Gather", {samples, graph_.whole("columns", column)}, "kernel", {{"axis", std::int64_t{1}}});
    }
    const std::string support = transposed_support();
    const std::string product = graph_.node("MatMul", {samples, support}, "product");
    if (function.kind == KernelKind::polynomial) {
      const std::string scaled =
          graph_.node("Mul", {product, graph_.constant("gamma", function.gamma)}, "gamma_product");
      const std::string shifted = graph_.node("Add", {scaled, graph_.constant("coef0", function.coef0)}, "base");
      return graph_.node("Pow", {shifted, graph_.constant("degree", static_cast<double>(function.degree))}, "kernel");
    }
    // |x - z|^2 = x.x + z.z - 2 x.z, and at least 0
    const std::string norms = graph_.node("Add", {squares(samples, 1), squares(support, 0)}, "norms");
    const std::string twice = graph_.node("Mul", {product, graph_.constant("two", 2)}, "twice");
    const std::string distance = graph_.node("Sub", {norms, twice}, "difference");
    const std::string clipped = graph_.node("Max", {distance, graph_.constant("zero", 0)}, "squared_distance");
    return graph_.node(
        "Exp", {graph_.node("Mul", {clipped, graph_.constant("minus_gamma", -function.gamma)}, "exponent")}, "kernel");
  }

  std::string squares(const std::string& of, std::int64_t axis) {
    const std::string square = graph_.node("Mul", {of, of}, of + "_square");
    return graph_.node("ReduceSum", {square, graph_.whole("axis", {axis})}, of + "_norm",
                       {{"keepdims", std::int64_t{1}}});
  }

  /// Scaled support vectors, (feature, support vector), from raw ones in single precision.
  std::string transposed_support() {
    constexpr std::uint64_t most = std::uint64_t{2} << 30;
    const Matrix<const float> raw = data::dense_values(machine_.support, "an ONNX file", most);
    const std::vector<float> values = list_of(raw);
    const std::string name = graph_.constant("support_vectors", {machine_.support.size(), machine_.features()}, values);
    const std::string scaled = add_scale(graph_, name, machine_.scale, "scaled_support");
    return graph_.node("Transpose", {scaled}, "support", {{"perm", std::vector<std::int64_t>{1, 0}}});
  }

  /// Votes of the pairs (a, b), (N, class): of those with a value above 0 for a, of others for b.
  std::string votes(const std::string& decision) {
    const auto pairs = svm::class_pairs(classes_);
    std::vector<double> difference(pairs.size() * static_cast<std::size_t>(classes_), 0.0),
        second(static_cast<std::size_t>(classes_), 0.0);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      difference[p * static_cast<std::size_t>(classes_) + static_cast<std::size_t>(pairs[p].first)] = 1;
      difference[p * static_cast<std::size_t>(classes_) + static_cast<std::size_t>(pairs[p].second)] = -1;
      ++second[static_cast<std::size_t>(pairs[p].second)];
    }
    const std::string above = graph_.node("Greater", {decision, graph_.constant("zero", 0)}, "above");
    const std::string first = graph_.cast(above, OnnxType::float64, "for_first");
    const std::string moved =
        graph_.node("MatMul", {first, constant("vote_of_first", {problems_, classes_}, difference)}, "moved_votes");
    return graph_.node("Add", {moved, constant("votes_of_second", {classes_}, second)}, "votes");
  }

  /// A f + B of each problem; the probability is 1 / (1 + exp(A f + B)).
  std::string sigmoid_arguments(const std::string& decision) {
    std::vector<double> a, b;
    for (const svm::Sigmoid& one : machine_.sigmoid) {
      a.push_back(one.a);
      b.push_back(one.b);
    }
    const std::string slope = graph_.node("Mul", {decision, constant("A", {problems_}, a)}, "slope");
    return graph_.node("Add", {slope, constant("B", {problems_}, b)}, "falling");
  }

  /// Sigmoids divided by their sum: the softmax of their logarithms, -log(1 + exp(x)) = -(max(x, 0) + log(1 + exp(-|x|))).
  void rest_probabilities(const std::string& falling) {
    const std::string positive = graph_.node("Max", {falling, graph_.constant("zero", 0)}, "positive");
    const std::string minus = graph_.node("Neg", {graph_.node("Abs", {falling}, "magnitude")}, "minus");
    const std::string sum =
        graph_.node("Add", {graph_.node("Exp", {minus}, "small"), graph_.constant("one", 1)}, "one_more");
    const std::string total = graph_.node("Add", {positive, graph_.node("Log", {sum}, "log")}, "softplus");
    graph_.node("Softmax", {graph_.node("Neg", {total}, "log_probability")}, "probability",
                {{"axis", std::int64_t{1}}});
  }

  /// Pairwise coupling as svm::couple_pairs() does it: M p = (1, ..., 1), here by Gauss-Jordan elimination, which needs no pivots
  /// because M is positive definite; then p / sum p.
  void pair_probabilities(const std::string& falling) {
    constexpr double least = 1e-7;
    const std::string one = graph_.constant("one", 1);
    const std::string sigmoid = graph_.node("Sigmoid", {graph_.node("Neg", {falling}, "rising")}, "sigmoid");
    const std::string first =
        graph_.node("Clip", {sigmoid, graph_.constant("least", least), graph_.constant("most", 1 - least)}, "pair");
    const std::string second = graph_.node("Sub", {one, first}, "pair_of_second");
    if (classes_ == 2) {
      graph_.node("Concat", {first, second}, "probability", {{"axis", std::int64_t{1}}});
      return;
    }
    // r(a, b), of a against b, and 0 for a = b: (N, class, class)
    const std::string none = graph_.node(
        "Mul",
        {graph_.node("Slice", {first, graph_.whole("from", {0}), graph_.whole("to", {1}), graph_.whole("axis", {1})},
                     "one_pair"),
         graph_.constant("zero", 0)},
        "no_pair");
    const std::string all = graph_.node("Concat", {first, second, none}, "all_pairs", {{"axis", std::int64_t{1}}});
    std::vector<std::int64_t> place;
    std::vector<double> unit;
    for (int a = 0; a < classes_; ++a) {
      for (int b = 0; b < classes_; ++b) {
        place.push_back(a == b  ? 2 * problems_
                        : a < b ? pair_number(a, b, classes_)
                                : problems_ + pair_number(a, b, classes_));
        unit.push_back(a == b ? 1 : 0);
      }
    }
    const std::string places = graph_.constant("places", {classes_, classes_}, place);
    const std::string identity = constant("identity", {classes_, classes_}, unit);
    const std::string r = graph_.node("Gather", {all, places}, "r", {{"axis", std::int64_t{1}}});
    const std::string mirror =
        graph_.node("Transpose", {r}, "r_mirrored", {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
    const std::string square = graph_.node("Mul", {r, r}, "r_square");
    const std::string diagonal =
        graph_.node("ReduceSum", {square, graph_.whole("axis", {1})}, "diagonal", {{"keepdims", std::int64_t{1}}});
    const std::string sum =
        graph_.node("Add", {graph_.node("Mul", {diagonal, identity}, "diagonal_matrix"), one}, "positive_part");
    const std::string matrix = graph_.node("Sub", {sum, graph_.node("Mul", {r, mirror}, "products")}, "M");
    solve_for_ones(matrix, diagonal);
  }

  void solve_for_ones(const std::string& matrix, const std::string& diagonal) {
    // The right side, (N, class, 1), of ones.
    const std::string column =
        graph_.node("Transpose", {diagonal}, "column", {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
    const std::string zero = graph_.node("Mul", {column, graph_.constant("zero", 0)}, "zeros");
    const std::string right = graph_.node("Add", {zero, graph_.constant("one", 1)}, "ones");
    std::string system = graph_.node("Concat", {matrix, right}, "system", {{"axis", std::int64_t{2}}});
    for (int k = 0; k < classes_; ++k) {
      std::vector<double> unit(static_cast<std::size_t>(classes_), 0.0);
      unit[static_cast<std::size_t>(k)] = 1;
      const std::string index = graph_.whole("step", {k});
      const std::string row = graph_.node("Gather", {system, index}, "row", {{"axis", std::int64_t{1}}});
      const std::string own = graph_.node("Gather", {system, index}, "own", {{"axis", std::int64_t{2}}});
      const std::string pivot = graph_.node("Gather", {row, index}, "pivot", {{"axis", std::int64_t{2}}});
      const std::string normal = graph_.node("Div", {row, pivot}, "normal");
      const std::string others = graph_.node("Sub", {own, constant("unit", {classes_, 1}, unit)}, "others");
      system = graph_.node("Sub", {system, graph_.node("MatMul", {others, normal}, "taken")}, "reduced");
    }
    const std::string last = graph_.whole("last", {classes_});
    const std::string solution = graph_.node("Gather", {system, last}, "solution", {{"axis", std::int64_t{2}}});
    const std::string flat = graph_.node("Squeeze", {solution, last_axis()}, "weights");
    const std::string positive = graph_.node("Max", {flat, graph_.constant("zero", 0)}, "positive_weights");
    const std::string sum =
        graph_.node("ReduceSum", {positive, graph_.whole("axis", {1})}, "sum", {{"keepdims", std::int64_t{1}}});
    graph_.node("Div", {positive, sum}, "probability");
  }

  std::string last_axis() { return graph_.whole("axis", {2}); }

  const svm::Machine& machine_;
  std::string name_;
  int problems_, classes_;
  OnnxGraph graph_;
};

}  // namespace

std::vector<std::byte> onnx_of(const svm::Machine& machine, const std::string& name) {
  return SvmGraph(machine, name).file();
}

}  // namespace krossfold::interchange
