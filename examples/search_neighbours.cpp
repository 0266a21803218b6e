// SPDX-License-Identifier: BSD-3-Clause
// A study of one's own: k-nearest-neighbour classification, searched over k and the power p of the Minkowski distance by
// cross-validation. Like any study of Krossfold it runs on many ranks, can be stopped, killed and continued, and has a report and a plan:
//   mpirun -n 3 search_neighbours knn --data csv:table.csv --k 1,5,25 -o knn.h5
//   search_neighbours report knn.h5
#include <algorithm>
#include <limits>

#include "krossfold/cli/program.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/done_record.hpp"
#include "krossfold/run/plan_work.hpp"
#include "krossfold/run/run_study.hpp"

using namespace krossfold;

namespace {

struct Params {
  input::TaskParams task;
  std::vector<int> k{1, 3, 5, 9, 17};
  std::vector<double> power{1, 2, 3};
  int folds = 5;
  std::string fold_kind = "stratified", scale;
  std::uint64_t seed = 0;
};

/// Command line, help, fingerprint and report know the options from here.
run::OptionTable options(Params& p) {
  run::OptionTable table;
  run::add_data_options(table, p.task);
  table.begin_group("Search");
  table.add("k", p.k, "LIST", "numbers of neighbours", 1);
  table.add("power", p.power, "LIST", "powers p of the distance (sum_j |x_j - y_j|^p)^(1/p)");
  run::add_fold_options(table, p.folds, p.fold_kind, p.seed, p.scale, {run::leave_one_out()});
  return table;
}

/// The result file.
struct Schema : run::ResultSchema {
  storage::Field<double> power = add<double>("/power", "power", "1", "power of the distance");
  storage::Field<std::int32_t> k = add<std::int32_t>("/k", "k", "1", "number of neighbours");
  storage::Field<std::int32_t> fold = add_index("/fold", "number of the held-out fold");
  storage::Field<double> fold_error =
      add<double>("/fold_error", "power fold k", "1", "fraction of the held-out samples misclassified");
  run::UnitFields unit = add_units("/unit", "power fold");
};
const Schema field;

/// For each row of x_held: how many of the classes voted for by its k nearest rows of x_train are wrong, for every k (k, row).
/// Ties between distances go to the earlier training sample, ties between classes to the lower one.
void count_wrong(const Vector<int, Device>& wrong, const Matrix<const float, Device>& x,
                 const Vector<const int, Device>& label, const Vector<const int, Device>& train,
                 const Vector<const int, Device>& held, const Vector<const int, Device>& k, float power, int classes) {
  const int ks = static_cast<int>(k.extent(0)), most = on_host(k)(ks - 1), features = static_cast<int>(x.extent(1));
  const Matrix<float, Device> nearest("knn::nearest", held.extent(0),
                                      most);  // ascending distances of each held-out sample
  const Matrix<int, Device> votes("knn::votes", held.extent(0), classes),
      neighbour("knn::neighbour", held.extent(0), most);
  Kokkos::parallel_for(
      "knn::search", Kokkos::RangePolicy<Device>(0, held.extent(0)), KOKKOS_LAMBDA(int row) {
        for (int m = 0; m < most; ++m) nearest(row, m) = INFINITY;
        for (std::size_t t = 0; t < train.extent(0); ++t) {
          float distance = 0;
          for (int j = 0; j < features; ++j) {
            distance += powf(fabsf(x(held(row), j) - x(train(t), j)), power);
          }
          if (!(distance < nearest(row, most - 1))) continue;
          int m = most - 1;
          for (; m > 0 && distance < nearest(row, m - 1); --m) {
            nearest(row, m) = nearest(row, m - 1);
            neighbour(row, m) = neighbour(row, m - 1);
          }
          nearest(row, m) = distance;
          neighbour(row, m) = label(train(t));
        }
        int best = 0, next = 0;
        for (int m = 0; m < most; ++m) {
          const int c = neighbour(row, m);
          ++votes(row, c);
          if (votes(row, c) > votes(row, best) || (votes(row, c) == votes(row, best) && c < best)) best = c;
          if (m + 1 != k(next)) continue;
          Kokkos::atomic_add(&wrong(next++), best == label(held(row)) ? 0 : 1);
        }
      });
}

/// The study: a unit for every (power, fold), whose record has the number of wrong held-out samples for every k.
class NeighbourSearch : public run::StudyCase, Study, Executor {
public:
  NeighbourSearch(const run::RunContext& context, const Params& given) : StudyCase(context), params_(given) {
    progress = "knn";
    task_ = parallel::load_and_broadcast(context.comm, [&] { return input::load_task(given.task, given.seed); });
    std::sort(params_.k.begin(), params_.k.end());
    parallel::on_all(context.comm, [&] {
      folds_ = data::split_folds(task_.train, data::parse_fold_kind(given.fold_kind), given.folds, given.seed);
      const auto fewest = task_.train.size() - static_cast<int>(folds_.held[0].size()) - 1;
      require(params_.k.back() <= fewest, "a k is larger than the training part of a fold",
              text("it has ", fewest, " samples"));
      require(std::adjacent_find(params_.k.begin(), params_.k.end()) == params_.k.end(), "a k is given twice", "");
    });
    const auto values = run::values_of(given, options);
    fingerprint = run::make_fingerprint(values, task_);
    facts = {values, given.seed, given.fold_kind, task_};
    facts.warn(data::missing_classes(folds_, task_.train.label, task_.train.class_name));
  }

  void print_plan(std::ostream& out) const override {
    out << "units    " << params_.power.size() * folds_.held.size() << " (power, fold)\n";
  }

  // What the farm computes.
  bool prepare() override {
    const auto scaled = data::apply_scale(data::fit_scale(task_.train, params_.scale), task_.train.raw);
    const Matrix<float> x("knn::x", scaled.extent(0), scaled.extent(1));
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      for (std::size_t j = 0; j < x.extent(1); ++j) x(i, j) = static_cast<float>(scaled(i, j));
    }
    x_ = on_device<Device>(x);
    label_ = on_device<Device>(task_.train.label);
    return true;
  }
  std::vector<run::Phase> phases() override { return {{*this}}; }
  Executor& executor() override { return *this; }
  std::vector<Unit> initial() override {
    std::vector<Unit> units;
    for (int p = 0; p < static_cast<int>(params_.power.size()); ++p) {
      for (int f = 0; f < folds_.folds(); ++f) units.push_back({.key = {0, {p, f, 0}}, .cost = 1});
    }
    return units;
  }
  std::vector<Unit> on_record(const Record&) override { return {}; }
  std::vector<Record> run(const Unit& unit, UnitContext& of_unit) override {
    const std::vector<int>& held = folds_.held[unit.key.index[1]];
    const auto train = list_on<Device>("knn::train", folds_.training(unit.key.index[1], task_.train.size()));
    const auto k = list_on<Device>("knn::k", params_.k);
    const Vector<int, Device> wrong("knn::wrong", k.extent(0));
    for (std::size_t first = 0; first < held.size(); first += block) {  // between two blocks a stop is seen
      if (of_unit.stop.stop_requested()) return {};
      const auto last = std::min(first + block, held.size());
      const auto rows = list_on<Device>("knn::rows", std::vector<int>(held.begin() + first, held.begin() + last));
      count_wrong(wrong, x_, label_, train, rows, k, params_.power[unit.key.index[0]], task_.train.classes());
      Kokkos::fence();
    }
    const auto counts = on_host(wrong);
    ByteWriter payload;
    for (std::size_t n = 0; n < counts.extent(0); ++n) payload.put(static_cast<double>(counts(n)) / held.size());
    return {run::done_record(unit.key, payload.take())};
  }

  void write_result(const std::vector<Record>& records, storage::Container& content) override {
    const std::size_t folds = folds_.held.size(), ks = params_.k.size(), units = params_.power.size() * folds;
    run::UnitTable table(units);
    std::vector<double> error(units * ks, std::numeric_limits<double>::quiet_NaN());
    for (const Record& record : records) {
      const std::size_t unit = record.key.index[0] * folds + record.key.index[1];
      table.set(unit, record);
      if (record.status != Status::done) continue;
      ByteReader(record.payload, "record of a fold").read(std::span(error).subspan(unit * ks, ks));
    }
    const storage::FieldWriter file(content);
    file.put(field.power, params_.power);
    file.put(field.k, params_.k);
    file.put_index(field.fold, folds);
    file.put(field.fold_error, error);
    table.write(file, field.unit);
  }

private:
  static constexpr std::size_t block = 64;
  Params params_;
  data::Task task_;
  data::FoldSplit folds_;
  Matrix<const float, Device> x_;
  Vector<const int, Device> label_;
};

/// The best cell of a result file.
struct Summary : run::ResultSummary {
  run::UnitCounts units;
  double power = 0, error = 1;
  int k = 0;

  explicit Summary(const run::ResultFile& result) : ResultSummary(result) {
    const storage::FieldReader file(result.content, result.name);
    units.add(file, field.unit);
    unit_seconds = units.seconds;
    set_utilisation(result);
    const auto &powers = file.get(field.power), &errors = file.get(field.fold_error);
    const auto& ks = file.get(field.k);
    const std::size_t folds = file.length(field.fold);
    for (std::size_t cell = 0; cell < powers.size() * ks.size(); ++cell) {
      const std::size_t p = cell / ks.size(), n = cell % ks.size();
      double sum = 0;
      for (std::size_t f = 0; f < folds; ++f) sum += errors[(p * folds + f) * ks.size() + n];
      if (!(sum / folds < error)) continue;  // NaN where a fold is missing
      power = powers[p];
      k = ks[n];
      error = sum / folds;
    }
  }
};

struct NeighbourKind : run::StudyKind {
  std::string name() const override { return "knn"; }
  std::string summary() const override { return "search k and the power of the distance of k nearest neighbours"; }
  run::Guide guide() const override {
    return {.description = "Searches k and the power p of the distance by cross-validation.",
            .examples = {{"The digits", "search_neighbours knn --data digits -o knn.h5"}}};
  }
  std::unique_ptr<run::StudyCommand> command() const override {
    return std::make_unique<run::CommandOf<Params, NeighbourSearch>>(options);
  }
  const storage::Schema& schema() const override { return field; }
  report::Document report(const run::ResultFile& file) const override {
    const Summary s(file);
    report::Document document = begin_document(s, text("k nearest neighbours on ", s.data));
    add_units(document, s, s.units);
    document.line("best cell", text("k = ", s.k, ", power = ", s.power, ": error ", report::percent(s.error)),
                  {{"best.k", s.k}, {"best.power", s.power}, {"best.error", s.error}});
    end_document(document, s);
    return document;
  }
  run::Comparable comparable(const run::ResultFile& file) const override {
    const Summary s(file);
    run::Comparable one = comparable_units(s);
    one.work = text("search of ", s.units.all, " units");
    one.quality_name = "error";
    one.quality = s.error;
    return one;
  }
  std::vector<report::Document> plan(const run::ResultFile& file, const run::PlanRequest& request) const override {
    const Summary s(file);
    return {plan_units(run::plan_independent_units(file, s, "k nearest neighbours on " + s.data, field.unit), request)};
  }
};

}  // namespace

int main(int argc, char** argv) {
  run::StudyRegistry registry;
  registry.add(std::make_unique<NeighbourKind>());
  return cli::run_program(argc, argv, registry);
}
