// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>

#include "image_word.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/kernel_matrix.hpp"
#include "krossfold/data/other_units.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table_description.hpp"
#include "read_samples.hpp"
#include "source.hpp"

namespace krossfold::input {
namespace {

bool keeps_first(const TaskParams& params) {
  const data::TestPart part = data::parse_test_part(params.test_part);
  return part == data::TestPart::last || limit_keeps_first(known_source(params.train));
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Groups of the test file that the training file has, too.
std::vector<std::string> shared_groups(const tables::Table& train, const tables::Table& test) {
  const std::set<std::string> known(train.group.word.begin(), train.group.word.end());
  std::vector<std::string> shared;
  for (const std::string& word : test.group.word) {
    if (known.contains(word)) shared.push_back(word);
  }
  return shared;
}

/// The samples of a training file; of a kernel matrix, checked.
data::Dataset as_matrix(const data::Dataset& whole, const TaskParams& params, std::vector<std::string>& warning) {
  return params.kernel_matrix ? data::whole_kernel_matrix(whole, &warning) : whole;
}

data::Task load_table(const Source& source, const TaskParams& params, std::uint64_t seed) {
  const tables::Table table = read_source(source, params.table);
  const data::Labels labels = tables::table_labels(table);
  data::TestSplit split;
  if (params.test.empty()) {
    const Vector<const int> group(table.group.code.data(), table.group.code.size());
    split = data::choose_test_part(labels, group, table.name, data::parse_test_part(params.test_part), seed);
  }
  data::Task task;
  data::TableEncoding encoding = tables::fit_encoding(table, split.train, params.table);
  encoding.group = table.group_name;
  encoding.weight = table.weight_name;
  task.warning = table.warning;
  task.train = as_matrix(tables::encode(table, encoding, params.table, {}, &task.warning), params, task.warning);
  tables::TableDescription description = tables::describe(table, encoding);
  description.image = task.train.image;
  task.understood = tables::lines(description);
  if (params.test.empty()) {
    const data::Task parts = data::split(task.train, split, data::parse_test_part(params.test_part));
    task.train = parts.train;
    task.test = parts.test;
    return task;
  }
  const Source test_source = known_source(params.test);
  if (!test_source.is_table()) {
    Notes notes;
    task.test = read_samples(
        test_source,
        {.known_classes = task.train.class_name, .features = task.train.features(), .image = task.train.image},
        params.table.image, &notes);
    append(task.warning, notes.warning);
    return task;
  }
  // A number means a column of the training table, and names are the same in any order of the columns.
  tables::TableParams as_learnt = params.table;
  if (table.named && table.label_column > 0 && params.table.label != table.label_name) as_learnt.label.clear();
  if (as_learnt.image.empty()) as_learnt.image = image_word(task.train.image);
  const tables::Table test = read_source(test_source, as_learnt, &encoding);
  if (const auto shared = shared_groups(table, test); !shared.empty()) {
    task.warning.push_back(text(shared.size(), shared.size() == 1 ? " group is" : " groups are", " both in ",
                                table.name, " and in ", test.name, ", such as ", shared.front(),
                                ": the test error is too optimistic"));
  }
  task.test = tables::encode(test, encoding, params.table, task.train.class_name, &task.warning);
  append(task.warning, test.warning);
  return task;
}

/// The samples of a training file that is no table, described as a study prints it, with the warnings that a table would get. Pixels
/// need none, because many are always 0; nor does a kernel matrix, which is checked.
data::Dataset training_samples(const Source& source, const data::Dataset& samples, const TaskParams& params,
                               Notes& notes) {
  if (!notes.understood.empty()) return as_matrix(samples, params, notes.warning);  // a folder of images
  const auto forms = spec_forms();
  const auto form =
      std::find_if(forms.begin(), forms.end(), [&](const SpecForm& one) { return one.kind == source.kind; });
  tables::TableDescription description;
  if (samples.image.is_image()) {
    description = tables::describe_samples(samples, form->meaning);
  } else {
    const tables::Table table = tables::table_of(samples, form->meaning);
    description = tables::describe(table, tables::fit_encoding(table, {}, {}));
    if (!params.kernel_matrix) append(notes.warning, table.warning);
  }
  append(notes.understood, tables::lines(description));
  return as_matrix(samples, params, notes.warning);
}

data::Task load_parts(const TaskParams& params, std::uint64_t seed) {
  const Source source = known_source(params.train);
  if (source.is_table()) return load_table(source, params, seed);
  check_no_columns(source.kind, params.table);
  // Only a limit that keeps the first samples makes it needless to read the others.
  const int limit = keeps_first(params) && !params.kernel_matrix ? params.limit : 0;
  data::Task task;
  Notes notes, test_notes;
  if (in_two_parts(source)) {
    task.train = training_samples(source, read_training_part(source, {.limit = limit}), params, notes);
  } else {
    const data::Dataset samples = read_samples(
        source, {.limit = params.test.empty() ? 0 : limit, .sparse = params.sparse}, params.table.image, &notes);
    task.train = training_samples(source, samples, params, notes);
    if (params.test.empty()) {
      task = data::split_off_test_part(task.train, data::parse_test_part(params.test_part), seed);
    }
  }
  append(task.understood, notes.understood);
  append(task.warning, notes.warning);
  if (!in_two_parts(source) && params.test.empty()) return task;
  const Source test = params.test.empty() ? source : known_source(params.test);
  const tables::ReadParams alike{.known_classes = task.train.class_name,
                                 .features = task.train.features(),
                                 .image = task.train.image,
                                 .first_index = task.train.first_index,
                                 .sparse = params.sparse};
  if (!test.is_table()) {
    task.test = read_samples(test, alike, params.table.image, &test_notes);
    append(task.warning, test_notes.warning);
    return task;
  }
  const data::TableEncoding plain = data::plain_encoding(task.train.features());
  tables::TableParams form = params.table;
  if (form.image.empty()) form.image = image_word(task.train.image);
  const tables::Table table = read_source(test, form, &plain);
  task.test = tables::encode(table, plain, params.table, task.train.class_name, &task.warning);
  append(task.warning, table.warning);
  return task;
}

std::vector<int> class_counts(const data::Dataset& dataset) {
  std::vector<int> count(dataset.class_name.size(), 0);
  for (int i = 0; i < dataset.size(); ++i) ++count[dataset.label(i)];
  return count;
}

/// Warnings of classes that one part lacks.
std::vector<std::string> lacking_classes(const data::Task& task, const std::vector<int>& train,
                                         const TaskParams& params) {
  constexpr int enough = 5;
  std::vector<std::string> untrained, untested, sentences;
  std::vector<int> test(train.size(), 0);
  for (int i = 0; i < task.test.size(); ++i) ++test[task.test.label(i)];
  for (std::size_t c = 0; c < train.size(); ++c) {
    if (train[c] == 0) untrained.push_back(task.train.class_name[c]);
    if (train[c] >= enough && test[c] == 0) untested.push_back(task.train.class_name[c]);
  }
  if (!untrained.empty()) {
    sentences.push_back(text("the training part has no sample of ", data::named_classes(untrained),
                             params.limit != 0 ? ": raise --limit" : ""));
  }
  if (task.test.size() == 0) {
    if (params.test_part == "none") return sentences;
    const bool single =
        params.limit == 0 && std::none_of(train.begin(), train.end(), [](int samples) { return samples > 1; });
    sentences.push_back(text("there is no test part, and so no test error: ",
                             single ? "no class has two samples" : "there are too few samples to hold any out"));
    return sentences;
  }
  if (!untested.empty()) {
    sentences.push_back(text("the test part has no sample of ", data::named_classes(untested)));
  }
  return sentences;
}

/// Warns of a test part, chosen by the program, that is far larger or smaller than it was to be, because groups stay together.
void warn_of_large_groups(data::Task& task, const TaskParams& params) {
  const bool has_part = !params.test.empty() || in_two_parts(known_source(params.train));
  if (has_part || task.train.group.extent(0) == 0) return;
  const data::TestPart part = data::parse_test_part(params.test_part);
  const int all = task.train.size() + task.test.size();
  const double wanted = part.share * all;
  const bool odd = task.test.size() > 2 * wanted || 2 * task.test.size() < std::floor(wanted);
  if (part != data::TestPart::random || !odd) return;
  task.warning.push_back(text("the test part has ", task.test.size(), " of ", all, " samples, not the share of ",
                              shortest(part.share), ": groups stay together, and some are large"));
}

/// Warns of test samples that equal a training sample, features and class, if they are more than a few.
void warn_of_copies(data::Task& task) {
  constexpr double few = 0.05;
  if (task.test.size() == 0 || task.test.features() != task.train.features()) return;
  // The sum of bits times odd random factors: equal samples have equal sums, and of others no two in 2^32 or so.
  const int features = task.train.features();
  std::mt19937 random(1);
  std::vector<std::uint32_t> factor(static_cast<std::size_t>(features));
  for (std::uint32_t& one : factor) one = random() | 1U;
  const auto sum_of = [&](const data::Dataset& set, int i) {
    std::uint64_t sum = static_cast<std::uint64_t>(set.label(i)) << 56;
    if (set.is_sparse()) {  // a zero adds nothing to the sum
      for (std::int64_t e = set.sparse.begin(i); e < set.sparse.begin(i + 1); ++e) {
        sum += std::uint64_t{std::bit_cast<std::uint32_t>(set.sparse.value(e))} * factor[set.sparse.column(e)];
      }
      return sum;
    }
    const float* value = &set.raw(i, 0);
    for (int j = 0; j < features; ++j) sum += std::uint64_t{std::bit_cast<std::uint32_t>(value[j])} * factor[j];
    return sum;
  };
  std::vector<std::uint64_t> known(static_cast<std::size_t>(task.train.size()));
  for (int i = 0; i < task.train.size(); ++i) known[i] = sum_of(task.train, i);
  std::sort(known.begin(), known.end());
  int copies = 0;
  for (int i = 0; i < task.test.size(); ++i) {
    copies += std::binary_search(known.begin(), known.end(), sum_of(task.test, i)) ? 1 : 0;
  }
  if (copies < 2 || copies < few * task.test.size()) return;
  task.warning.push_back(text(copies, " of ", task.test.size(),
                              " test samples equal a training sample: if they are copies, the "
                              "test error is too optimistic, and so may be the error in cross-validation"));
}

/// Of classes that have samples to train on (`samples` of each), all of weight 0.
void warn_of_classes_without_weight(data::Task& task, const std::vector<int>& samples) {
  const data::Dataset& train = task.train;
  if (train.weight.extent(0) == 0) return;
  std::vector<double> sum(samples.size(), 0);
  for (int i = 0; i < train.size(); ++i) sum[static_cast<std::size_t>(train.label(i))] += train.weight(i);
  for (std::size_t c = 0; c < sum.size(); ++c) {
    if (samples[c] == 0 || sum[c] > 0) continue;
    task.warning.push_back(text("all ", samples[c], " samples of class ", train.class_name[c],
                                " to train on have the weight 0: nothing learns this class"));
  }
}

}  // namespace

data::Task load_task(const TaskParams& params, std::uint64_t seed) {
  const std::string files = params.test.empty() ? params.train : text(params.train, " and ", params.test);
  data::Task task = naming_memory(text("cannot read ", files), [&] { return load_parts(params, seed); });
  require(task.train.labelled(), text(task.train.name, " has no labels"), "a study learns classes",
          "Give the label column.");
  require(task.test.size() == 0 || task.test.labelled(), text(task.test.name, " has no labels"),
          "the test error compares with them", "Give test data with the label column.");
  data::check_image(task.test.image, task.train.image, task.test.name);
  warn_of_copies(task);
  if (!params.test.empty() && !params.kernel_matrix && !task.train.is_sparse() && task.test.size() > 0) {
    const std::vector<std::string> names = data::feature_names(task.train.encoding.get(), task.train.features());
    append(task.warning, data::other_units(task.test, data::fit_scale(task.train, ""), names, task.train.image));
  }
  warn_of_large_groups(task, params);
  const data::TestPart order = keeps_first(params) ? data::TestPart::last : data::TestPart::random;
  task.train = data::limit_samples(task.train, params.limit, order, seed);
  const std::vector<int> count = class_counts(task.train);
  warn_of_classes_without_weight(task, count);
  if (std::count_if(count.begin(), count.end(), [](int n) { return n != 0; }) < 2) {
    throw_input_error(
        text("the training part of ", task.train.name, " has fewer than two classes"),
        text("all ", task.train.size(), " samples are of class '", task.train.class_name[task.train.label(0)], "'"),
        params.limit != 0 ? "Raise --limit." : "give data with at least two classes");
  }
  append(task.warning, lacking_classes(task, count, params));
  const bool has_part = !params.test.empty() || in_two_parts(known_source(params.train));
  if (has_part && params.test_part != "random" && params.test_part != "last") {
    task.warning.push_back(text("--test-part ", params.test_part, " has no effect: the test samples are those of ",
                                params.test.empty() ? params.train : params.test));
  }
  return task;
}

}  // namespace krossfold::input
