// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/memory.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/memory_budget.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/left_out.hpp"
#include "krossfold/svm/active_set.hpp"
#include "krossfold/svm/decision.hpp"
#include "krossfold/svm/dual_solver.hpp"
#include "krossfold/svm/factor_path.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/row_cache.hpp"

namespace krossfold::studies {

namespace {

/// A smaller cache would compute the same rows again and again.
constexpr std::uint64_t min_rows = 256;

/// The folds of a gamma that are solved together if memory allows: as many as give each thread, or a device, enough problems.
int wanted_together(const SvmLayout& search) {
  constexpr int enough_for_a_device = 128;
  if (!may_join_folds(search)) return 1;
  const int problems = std::is_same_v<Device, Host> ? Host::concurrency() : enough_for_a_device;
  return std::clamp(problems / search.problems, 1, static_cast<int>(search.folds.held.size()));
}

/// Bytes that a rank needs beside distances and kernel matrix.
struct Rest {
  std::uint64_t always = 0;
  std::uint64_t spare = 0;     ///< reserved, but hardly ever touched
  std::uint64_t at_first = 0;  ///< until the distances are there
  std::uint64_t precise = 0;   ///< for K in double

  std::uint64_t total() const { return always + spare + at_first + precise; }
};

/// With the solver and the units of the plan.
Rest rest_of(const SvmLayout& search, const MemoryPlan& plan) {
  const auto n = static_cast<std::uint64_t>(search.samples), each = static_cast<std::uint64_t>(search.problems);
  // Of several folds, the results of each are also copied from those of all.
  const auto folds = static_cast<std::uint64_t>(plan.folds_together), problems = each * folds,
             copied = folds > 1 ? each : 0;
  const auto held = n * search.folds.repeats / static_cast<std::uint64_t>(search.folds.folds()) + 1;
  const svm::SolverSize size =
      svm::solver_size<Device>(search.problems * plan.folds_at_once, search.samples, plan.solver_room);
  // Of each problem in the solver: beta and gradient at the start of a path of the active set, whether it is followed or not; and the
  // iterates from which interior points and the method of multipliers begin at the next C, of four numbers and one a member
  // (svm/path/path_parts.hpp).
  const auto slots = static_cast<std::uint64_t>(size.slots);
  const std::uint64_t starts = slots * 2 * n * sizeof(double),
                      iterates = slots * (5 * n + svm::largest_factor_rank + 1) * sizeof(double);
  // A working set has rarely a quarter of the members that it may have, and as few of them are free.
  const std::uint64_t solver = svm::solver_memory(size, search.samples), sets = svm::working_set_memory(size);
  const std::uint64_t solutions = problems * n * (2 * sizeof(double) + 1) + copied * n * sizeof(double);
  const int max_c = std::max(search.params.grid_c, search.params.refine > 0 ? refined_count(search.params.grid_c) : 0);
  const std::uint64_t decisions = sizeof(double) * static_cast<std::uint64_t>(max_c) * (problems + copied) * held;
  const auto features = static_cast<std::uint64_t>(search.features);
  const bool given = search.kernel.kind == svm::KernelKind::precomputed;
  constexpr std::uint64_t rows_of_products = 512;
  const auto entries = static_cast<std::uint64_t>(search.entries);
  // The samples as they are in the data, and for distances; those for K in double are a copy of the latter.
  std::uint64_t data = features * sizeof(float) * (n + static_cast<std::uint64_t>(search.test_samples)),
                points = features * sizeof(double) * n, products = 0;
  if (given) points = sizeof(float) * n * n;
  if (search.sparse) {
    data = 2 * sizeof(float) * entries;
    points = 2 * (sizeof(double) + sizeof(int)) * entries + sizeof(double) * features;  // by row and by column
    products = rows_of_products * sizeof(double) * n;
  }
  // After the refit; of most problems half the samples are support vectors.
  const std::uint64_t tests = search.params.refit ? svm::decision_memory(search.test_samples, search.samples) : 0;
  Rest rest;
  rest.always = solutions + decisions + data + kept_decisions(search) + tests / 2;
  rest.spare = tests / 2;
  rest.at_first = points + products;
  if (search.params.factor > 0) {
    // The rank is the largest; of most values of gamma a factor of a lower one suffices.
    const std::uint64_t factor = svm::factor_memory(search.samples, search.params.factor);
    rest.spare += factor / 2;
    rest.precise = (given ? 0 : points) + factor - factor / 2;
    return rest;
  }
  const std::uint64_t unused = sets - sets / 16;
  rest.spare += unused;
  rest.always += starts + solver - unused;
  // Of the two methods one at a time is at work, and none while a factor grows, which is there twice then.
  const std::uint64_t growing =
      sizeof(double) * n * static_cast<std::uint64_t>(svm::PreciseKernel<Device>::max_rank(search.samples)) / 2;
  rest.precise = (given ? 0 : points) + iterates + svm::PreciseKernel<Device>::memory(search.samples) +
                 std::max({growing, svm::interior_memory(search.samples, search.largest_problem),
                           svm::active_set_memory(search.samples, search.largest_problem)});
  return rest;
}

}  // namespace

std::uint64_t kept_decisions(const SvmLayout& search) {
  const auto n = static_cast<std::uint64_t>(search.samples);
  const std::uint64_t all = sizeof(double) * n * search.problems * search.c.size() * search.gamma.size();
  return std::min({all, std::uint64_t{256} << 20, n * n * sizeof(float) / 4});
}

ResultsMemory results_memory(const SvmLayout& search) {
  constexpr std::uint64_t whole = sizeof(std::int32_t), real = sizeof(double);
  const auto problems = static_cast<std::uint64_t>(search.problems), measures = std::uint64_t{cell_measures().size()},
             classes = static_cast<std::uint64_t>(search.classes), folds = std::uint64_t{search.folds.held.size()};
  const auto decided = static_cast<std::uint64_t>(search.samples) * static_cast<std::uint64_t>(search.folds.repeats);
  const std::uint64_t grid = std::uint64_t{search.gamma.size()} * search.c.size(), cells = grid * folds;
  std::uint64_t others = 0;  // of which the file holds little
  for (const data::FoldSplit& inner : search.nested.inner) others += grid * static_cast<std::uint64_t>(inner.folds());
  if (search.params.refine > 0) {
    const auto finer = [](int count) { return static_cast<std::uint64_t>(refined_count(count)); };
    others += static_cast<std::uint64_t>(search.params.refine) * finer(search.params.grid_c) *
              finer(search.params.grid_gamma) * folds;
  }
  // The numbers of a fit and of a cell in FoldResult::to_bytes() and in the file (add_search()).
  const std::uint64_t errors = search.params.factor > 0 ? 2 * real : 0;
  const std::uint64_t of_fit = sizeof(std::int64_t) + 3 * whole + 3 * real + errors,
                      fields_of_fit = sizeof(std::int64_t) + 4 * whole + 2 * real + errors;
  // Of true and predicted class: each class is rarely taken for more than some others.
  const std::uint64_t pairs = std::min({classes * classes, 4 * classes, decided / folds + 1});
  const std::uint64_t of_cell = (2 + 3 * pairs) * whole + measures * real,
                      fields = problems * fields_of_fit + measures * real;
  ResultsMemory memory;
  memory.records = (cells + others) * (problems * of_fit + of_cell);
  memory.file = cells * (fields + std::max(2 * fields, problems * sizeof(svm::FitSummary)));
  // Records; as read and as gathered, by the study and for the file; in the file, and twice in its bytes.
  constexpr std::uint64_t copies = 8;
  const std::uint64_t tested = search.params.refit ? static_cast<std::uint64_t>(search.test_samples) : 0;
  memory.decisions = copies * (decided + tested) * problems * real;
  return memory;
}

namespace {

/// `more`: bytes that are needed beside the search, spare: those reserved, but hardly ever touched; advice: what to do if nothing fits.
MemoryPlan plan_for(const SvmLayout& search, const MemoryRoom& room, std::uint64_t more, std::uint64_t spare,
                    const std::string& advice) {
  const auto n = static_cast<std::uint64_t>(search.samples);
  const std::uint64_t row = svm::RowCache<Device>::bytes_per_row(search.samples), matrix = n * row;
  MemoryPlan plan;
  Rest rest;
  // Rather a smaller solver, where problems wait for one another, than fewer folds together or rows of K on demand.
  constexpr int halvings = 6;
  const auto lay_out = [&](int together, int halved) {
    plan.folds_together = together;
    plan.folds_at_once = std::max(1, together >> halved);
    plan.solver_room = room.bytes / 4 >> halved;
    rest = rest_of(search, plan);
    rest.always += more;
    rest.spare += spare;
    plan.rest = rest.total();
  };
  lay_out(1, 0);
  if (search.params.factor > 0) {
    plan.mode = KernelMode::factor;
    plan.factor_rank = std::min(search.params.factor, svm::PreciseKernel<Device>::max_rank(search.samples));
    plan.usual = plan.total() - rest.spare;
    if (plan.total() <= room.bytes) return plan;
    throw_input_error(text("the study needs ", size_text(plan.total()), " on every rank"), room.why,
                      "Use a smaller factor, fewer ranks per machine, a partition, or a larger --memory-limit.");
  }
  const auto planned = [&] {
    // The samples in the form of which distances are made are there before K is, or, for its rows, all the time.
    const std::uint64_t gone = plan.mode == KernelMode::points_rows ? 0 : std::min(rest.at_first, plan.kernel);
    const auto more_rows = static_cast<std::uint64_t>(std::max(0, plan.rows_at_first - plan.cached_rows));
    plan.usual = std::min(plan.total(), plan.total() + more_rows * row - rest.precise - rest.spare - gone);
    return plan;
  };
  plan.given_values = search.kernel.kind == svm::KernelKind::precomputed;
  plan.shared_distances = room.ranks > 1 && room.node_memory > matrix + matrix / 16;
  plan.distances = plan.shared_distances ? matrix / static_cast<std::uint64_t>(room.ranks) : matrix;
  plan.kernel = matrix;
  for (const int together : {wanted_together(search), 1}) {
    for (int halved = 0; halved <= halvings; ++halved) {
      lay_out(together, halved);
      if (plan.total() <= room.bytes) return planned();
    }
  }
  const auto with_rows = [&](KernelMode mode) {
    plan.mode = mode;
    for (int halved = 0; halved <= halvings; ++halved) {
      lay_out(1, halved);
      plan.kernel = 0;
      const std::uint64_t left = room.bytes > plan.total() ? room.bytes - plan.total() : 0;
      plan.cached_rows = static_cast<int>(std::min(n, left / row));
      plan.rows_at_first = static_cast<int>(std::min(n, (left + rest.precise) / row));
      plan.kernel = static_cast<std::uint64_t>(plan.cached_rows) * row;
      if (static_cast<std::uint64_t>(plan.cached_rows) >= std::min(n, min_rows) && plan.cached_rows >= 4) return true;
    }
    return false;
  };
  if (with_rows(KernelMode::distances_rows)) return planned();
  plan.for_distances = plan.distances + plan.rest + std::min(n, min_rows) * row;
  plan.shared_distances = false;
  plan.distances = std::min<std::uint64_t>(n, 512) * 2 * row;  // for the blocks of rows that are being computed
  if (!plan.given_values && with_rows(KernelMode::points_rows)) return planned();
  if (plan.given_values) plan.distances = matrix;
  plan.kernel = std::max<std::uint64_t>(4, std::min(n, min_rows)) * row;
  throw_input_error(text("the study needs at least ", size_text(plan.total()), " on every rank"), room.why, advice);
}

}  // namespace

MemoryPlan plan_memory(const SvmLayout& search, const MemoryRoom& room) {
  const ResultsMemory results = room.keeps_results ? results_memory(search) : ResultsMemory();
  const std::uint64_t kept = results.records + results.file + results.decisions;
  const std::string by_results = kept > room.bytes / 2
                                     ? text("The results of all fits take ", size_text(kept),
                                            " of it, on rank 0: use a smaller --grid or fewer folds. ")
                                     : "";
  // The records are copied when the file is written while units are still computed.
  return plan_for(
      search, room, kept, results.records,
      by_results +
          "Train in parts (--partition voronoi:2000), or if the samples have few features on a factor of the kernel "
          "matrix (--factor 512), or use fewer samples (--limit), fewer ranks per machine, or a larger "
          "--memory-limit.");
}

std::string loss_by_sharing(const SvmLayout& search, const MemoryRoom& room, int ranks, const MemoryPlan& plan) {
  if (ranks < 2 || plan.mode == KernelMode::factor) return "";
  MemoryRoom all = room;
  all.bytes *= static_cast<std::uint64_t>(ranks);
  const MemoryPlan alone = plan_memory(search, all);
  std::string has;
  if (alone.mode == KernelMode::whole && plan.mode != KernelMode::whole) {
    has = "no memory for the whole kernel matrix";
  } else if (plan.folds_at_once < alone.folds_at_once) {
    has = text("memory for the problems of ", plan.folds_at_once, " of ", alone.folds_at_once, " folds at once");
  }
  if (has.empty()) return "";
  return text(ranks, " ranks share a GPU, and each has ", has, " (", describe(plan),
              "); one rank with all of its memory is likely to be faster");
}

MemoryPlan plan_parts_memory(const PartsLayout& search, const MemoryRoom& room) {
  int largest = 0;
  for (int p = 1; p < search.parts(); ++p) {
    if (search.part_samples(p) > search.part_samples(largest)) largest = p;
  }
  const SvmLayout& whole = search.whole;
  const auto n = static_cast<std::uint64_t>(whole.samples), tests = static_cast<std::uint64_t>(whole.test_samples);
  const auto features = static_cast<std::uint64_t>(whole.features),
             problems = static_cast<std::uint64_t>(whole.problems);
  const std::uint64_t samples = features * sizeof(float) * (n + tests) + n * 4 * sizeof(int);
  // As bytes of the file, in its arrays and in the machines.
  const std::uint64_t machines =
      whole.params.refit ? 3 * n * (features * sizeof(float) + problems * sizeof(double) + sizeof(int)) : 0;
  MemoryRoom own = room;
  own.ranks = 1;  // the ranks share no distances: each has a part of its own
  own.node_memory = 0;
  return plan_for(layout_of_part(search, largest), own, samples + machines, 0,
                  "Use smaller parts, fewer ranks per machine, or a larger --memory-limit.");
}

std::string describe(const MemoryPlan& plan) {
  const std::string share = plan.shared_distances ? " (one copy a node)" : "";
  const auto rows = [&] {
    const std::string kept =
        text("kernel rows on demand", plan.mode == KernelMode::points_rows ? " from the samples" : "");
    if (plan.rows_at_first <= plan.cached_rows) return text(kept, ", ", plan.cached_rows, " kept");
    return text(kept, ", ", plan.rows_at_first, " kept, or ", plan.cached_rows,
                " from the first fit on that needs the kernel in double precision");
  };
  std::string what;
  const std::string source = plan.given_values ? "kernel values" : "squared distances";
  if (plan.mode == KernelMode::whole) what = text(source, share, " and kernel matrix whole");
  if (plan.folds_together > 1) what += text(", ", plan.folds_together, " folds at a time");
  if (plan.mode == KernelMode::distances_rows) what = text(source, " whole", share, ", ", rows());
  if (plan.mode == KernelMode::points_rows) what = rows();
  if (plan.mode == KernelMode::factor)
    what = text("a factor of the kernel matrix, of rank ", plan.factor_rank, " at most");
  what += text(", ", size_text(plan.usual), " a rank");
  if (plan.usual < plan.total()) what += text(", at most ", size_text(plan.total()));
  if (plan.mode != KernelMode::points_rows) return what;
  const double tenths = std::ceil(10 * static_cast<double>(plan.for_distances) / static_cast<double>(1ULL << 30));
  return text(what, "; from ", fixed(tenths / 10, 1),
              " GiB on the squared distances would be kept, which takes a fraction of the time");
}

std::string with_program(const MemoryPlan& plan, const data::Task& task) {
  std::uint64_t counted = 0;
  for (const data::Dataset* set : {&task.train, &task.test}) {
    const std::uint64_t values = set->is_sparse() ? 2 * static_cast<std::uint64_t>(entries_of(set->sparse))
                                                  : static_cast<std::uint64_t>(set->raw.size());
    counted += values * sizeof(float);
  }
  return run::with_program(plan.usual - std::min(plan.usual, counted), plan.total() - std::min(plan.total(), counted));
}

}  // namespace krossfold::studies
