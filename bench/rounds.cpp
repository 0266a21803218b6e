// SPDX-License-Identifier: BSD-3-Clause
// What the solver does in a search, round by round: the sizes of working sets, iterations and Newton steps, on which the time on any
// machine depends. tools/predict_search reckons with them what a GPU would take (docs/gpu.md).
//
//   rounds mnist 60000 24x24 0:1 0:24 rounds.txt     data, samples, C x gamma, folds and gammas (first:end), the file
//
// The cells are those of `krossfold svm` on these data with contiguous folds, of which there are five. One gamma after the other is added
// to the file, which is continued if it is there. Lines, with the numbers of gamma, fold, C and problem:
//
//   search SAMPLES FEATURES PROBLEMS CS GAMMAS
//   gamma INDEX FOLD SECONDS ELSEWHERE                             after its rounds: what they took here, and the share of the operations
//                                                                  that other methods than SMO and Newton steps took
//   round C PROBLEM MEMBERS WHOLE FRESH CHANGED STRETCH ...        see svm::Round; STRETCH is ITERATIONS:FREE:COST
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/left_out.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/path.hpp"

namespace {

using namespace krossfold;
using Clock = std::chrono::steady_clock;

struct Span {
  int first = 0, end = 0;
};

/// "first:end", or "CxGAMMA" with the separator x.
Span parse_span(const char* word, const char* form) {
  Span span;
  if (std::sscanf(word, form, &span.first, &span.end) != 2) throw_input_error(text("bad ", word), form);
  return span;
}

/// The pairs (gamma, fold) that the file has. What comes after the last whole one is cut off.
std::set<std::pair<int, int>> finished(const std::string& file, const std::string& header) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  require(all.empty() || all.starts_with(header), text(file, " is a record of another search"),
          text("it does not begin with \"", header.substr(0, header.size() - 1), "\""), "Name another file.");
  std::set<std::pair<int, int>> pairs;
  std::size_t whole = all.empty() ? 0 : header.size();
  for (std::size_t at = whole, end = 0; (end = all.find('\n', at)) != std::string::npos; at = end + 1) {
    int gamma = 0, fold = 0;
    if (std::sscanf(all.c_str() + at, "gamma %d %d", &gamma, &fold) != 2) continue;
    pairs.emplace(gamma, fold);
    whole = end + 1;
  }
  if (whole < all.size()) std::filesystem::resize_file(file, whole);
  return pairs;
}

/// What the solver charges a round.
double cost_of(const svm::Round& round, int samples) {
  double cost = (4.0 * round.changed + 20.0) * samples;
  for (const svm::Stretch& stretch : round.stretch)
    cost += static_cast<double>(stretch.iterations) * svm::smo_cost(round.members) + stretch.newton;
  return cost;
}

std::string line_of(int c, const svm::Round& round) {
  std::string line = text("round ", c, ' ', round.problem, ' ', round.members, ' ', round.whole ? 1 : 0, ' ',
                          round.fresh, ' ', round.changed);
  for (const svm::Stretch& stretch : round.stretch)
    line += text(' ', stretch.iterations, ':', stretch.free, ':', shortest(stretch.newton));
  return line + '\n';
}

void record(const char* const* words) {
  const Span grid = parse_span(words[3], "%dx%d"), folds = parse_span(words[4], "%d:%d"),
             gammas = parse_span(words[5], "%d:%d");
  const std::string file = words[6];
  studies::SvmParams params;
  params.task.train = words[1];
  params.task.limit = std::atoi(words[2]);
  params.grid_c = grid.first;
  params.grid_gamma = grid.end;
  params.fold_kind = "contiguous";
  const data::Task task = input::load_task(params.task);
  const studies::SvmLayout search = studies::lay_out_svm(params, task);
  const int n = search.samples;
  require(folds.first >= 0 && folds.end <= search.folds.folds(), text("bad folds ", words[4]),
          text("there are ", search.folds.folds()));
  require(gammas.first >= 0 && gammas.end <= grid.end, text("bad gammas ", words[5]), text("there are ", grid.end));
  const std::string header =
      text("search ", n, ' ', search.features, ' ', search.problems, ' ', grid.first, ' ', grid.end, '\n');
  const auto done = finished(file, header);
  std::ofstream out(file, std::ios::binary | std::ios::app);
  if (out.tellp() == 0) out << header << std::flush;
  if (!out) throw_input_error(text("cannot write ", file), "see the messages of the system");
  const auto points = svm::make_points<Device>(task.train, search.scale, search.point_form(task.train));
  const auto norms = svm::sample_norms(task.train, search.scale, search.kernel.kind);
  const auto label = on_device<Device>(task.train.label);
  const auto matrix = padded_matrix<float, Device>("krossfold::bench::kernel", n, n);
  svm::WholeKernel<Device> kernel(Device(), matrix);
  svm::PreciseKernel<Device> precise(Device(), n, search.features, [&] { return points; });
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(search.problems, n), n);
  for (int g = gammas.first; g < gammas.end; ++g) {
    bool filled = false;
    for (int fold = folds.first; fold < folds.end; ++fold) {
      if (done.contains({g, fold})) continue;
      const auto form = svm::make_kernel_form<Device>(search.kernel_at(search.gamma[g]), norms);
      if (!filled) {
        svm::squared_distance<Device>(Device(), matrix, points);
        svm::fill_kernel<Device>(Device(), matrix, matrix, form, points.unit);
        precise.set_kernel(form);
        filled = true;
      }
      const auto sign = studies::signs_of(Device(), search, label, {{search.folds.held[fold]}});
      svm::PathParams path;
      path.c = search.c;
      double recorded = 0;
      path.record = [&](int c, const svm::Round& round) {
        out << line_of(c, round);
        recorded += cost_of(round, n);
      };
      const auto began = Clock::now();
      const auto solution = svm::solve_path<Device>(Device(), solver, kernel, sign, {}, path, {}, &precise);
      const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
      double all = 0;
      for (const svm::FitSummary& fit : solution.fit) all += fit.operations;
      const double elsewhere = all > 0 ? std::max(0.0, 1 - recorded / all) : 0.0;
      out << text("gamma ", g, ' ', fold, ' ', shortest(seconds), ' ', shortest(elsewhere), '\n') << std::flush;
    }
  }
  if (!out) throw_run_error(text("cannot write ", file), "see the messages of the system");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: rounds DATA SAMPLES CxGAMMA FOLD:END GAMMA:END FILE\n");
    return 2;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    record(argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "rounds: %s\n", error.what());
    return 1;
  }
  return 0;
}
