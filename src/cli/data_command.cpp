// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/data_source.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::cli {
namespace {

using report::Document;

bool is_names(const std::string& spec) { return spec == "names" || spec.starts_with("names:"); }

Document list_of_specs() {
  Document document;
  document.title = "Data that studies take as --data SPEC (docs/data.md)";
  report::Table table;
  table.key = "spec";
  const std::vector<input::SpecForm> forms = input::spec_forms();
  table.add({"spec", "SPEC"}, forms, [](const input::SpecForm& form) -> report::Cell { return form.kind + form.rest; });
  table.add({"meaning", "data"}, forms, &input::SpecForm::meaning);
  table.left = 2;
  document.table(std::move(table));
  return document;
}

report::Table class_table(const tables::TableDescription& content) {
  report::Table table;
  table.key = "classes";
  table.heading = "classes";
  table.left = 1;
  table.add({"name", "class"}, content.classes, &tables::ClassShare::name);
  table.add({"samples", "samples"}, content.classes, &tables::ClassShare::samples);
  table.add({"share", "share", report::Format::percent}, content.classes, &tables::ClassShare::share);
  return table;
}

report::Table column_table(const tables::TableDescription& content, bool in_text) {
  using tables::ColumnSummary;
  const std::vector<ColumnSummary>& columns = content.columns;
  report::Table table;
  table.key = "columns";
  table.heading = "columns that are features";
  table.in_text = in_text;
  table.left = 3;
  table.add({"column", "column"}, columns, &ColumnSummary::column);
  table.add({"name", "name"}, columns, &ColumnSummary::name);
  table.add({"type", "type"}, columns, &ColumnSummary::type);
  table.add({"missing", "missing"}, columns, &ColumnSummary::missing);
  table.add({"distinct", "distinct"}, columns, &ColumnSummary::distinct);
  table.add({"lowest", "lowest"}, columns, &ColumnSummary::lowest);
  table.add({"mean", "mean"}, columns, &ColumnSummary::mean);
  table.add({"highest", "highest"}, columns, &ColumnSummary::highest);
  return table;
}

void add_study(Document& document, const input::StudyParts& study) {
  const bool taken = study.refusal.empty();
  document.line("a study",
                taken ? text("trains on ", study.train, " samples and tests on ", study.test)
                      : text("refuses these data: ", study.refusal),
                {{"study.taken", taken},
                 {"study.train", taken ? report::Value(study.train) : report::Value()},
                 {"study.test", taken ? report::Value(study.test) : report::Value()},
                 {"study.refusal", taken ? report::Value() : report::Value(study.refusal)}});
}

Document description_of(const DataParams& params) {
  const input::DataDescription data = input::describe_data(params.task, params.seed);
  const tables::TableDescription& content = data.content;
  Document document;
  document.title = text(params.task.train, ": ", content.format);
  document.facts({{"data", params.task.train}, {"format", content.format}});
  const bool images = data.width > 0;
  document.line("samples", text(content.samples), {{"samples", content.samples}});
  const auto columns = static_cast<std::int64_t>(content.columns.size());
  const bool each = columns != 0;  // else they are too many to look at one by one
  document.line("features",
                text(content.features,
                     images ? text(", images of ", data.width, "x", data.height,
                                   data.channels > 1 ? text("x", data.channels) : "")
                            : "",
                     each && content.features != columns ? text(" from ", columns, " columns, text one-hot") : ""),
                {{"features", content.features}});
  if (images)
    document.facts({{"image.width", data.width}, {"image.height", data.height}, {"image.channels", data.channels}});
  if (!std::isnan(data.lowest)) {
    document.line("values", text(report::rounded(data.lowest), " to ", report::rounded(data.highest)),
                  {{"lowest", data.lowest}, {"highest", data.highest}});
  }
  document.line("label",
                content.label.empty() ? "none"
                                      : text(content.label, content.label_by_default ? tables::default_label_text : "",
                                             ", ", content.classes.size(), " classes"),
                {{"label", content.label}});
  document.line("groups", content.groups != 0 ? text(content.groups) : "", {{"groups", content.groups}});
  document.line("weights", content.weighted ? "yes" : "", {{"weighted", content.weighted}});
  std::string dropped;
  for (const std::string& one : content.dropped) dropped += (dropped.empty() ? "" : ", ") + one;
  document.line("left out", dropped, {{"left_out", dropped}});
  document.line("duplicates",
                each ? text(content.repeated, " samples repeat the features of an earlier one; ", content.contradicting,
                            " have a twin of another label")
                     : "",
                {{"duplicates.repeated", each ? report::Value(content.repeated) : report::Value()},
                 {"duplicates.contradicting", each ? report::Value(content.contradicting) : report::Value()}});
  add_study(document, data.study);
  document.table(class_table(content));
  if (each) document.table(column_table(content, !images));  // pixels are only listed in JSON
  document.warnings = content.warning;
  for (const std::string& warning : data.study.warning) {
    const auto& known = content.warning;
    if (std::find(known.begin(), known.end(), warning) == known.end()) document.warnings.push_back(warning);
  }
  return document;
}

Document description_of_names(const std::string& spec) {
  const input::NameSet names = input::load_names(spec);
  const input::NameTask task = input::split_names(names);
  Document document;
  document.title = text(spec, ": names for character models");
  document.fact("data", spec);
  document.line("names", text(names.size()), {{"names", names.size()}});
  document.line("letters", text(names.count.folded, " replaced, ", names.count.dropped, " left out"),
                {{"letters.replaced", names.count.folded}, {"letters.left_out", names.count.dropped}});
  document.line("left out", names.left_out != 0 ? text(names.left_out, " entries without a letter") : "",
                {{"left_out", names.left_out}});
  document.line("a study", text("trains on ", task.train.size(), " names and holds out ", task.held_out.size()),
                {{"study.taken", true}, {"study.train", task.train.size()}, {"study.test", task.held_out.size()}});
  return document;
}

/// Reads everything; returns what was read, for people, and adds the warnings.
std::string read_all(const DataParams& params, std::vector<std::string>& warning) {
  if (is_names(params.task.train)) return text(input::load_names(params.task.train).size(), " names");
  input::TaskParams taken = params.task;
  taken.sparse = true;
  const data::Task task = input::load_task(taken, params.seed);
  warning = task.warning;
  return text(task.train.size() + task.test.size(), " samples (", task.train.size(), " to train on, ", task.test.size(),
              " to test)");
}

void verify(const DataParams& params, const Log& log) {
  const std::string &spec = params.task.train, &test = params.task.test;
  input::check_options(params.task);
  std::string read;
  std::vector<std::string> warning;
  try {
    read = read_all(params, warning);
  } catch (const Error& refusal) {
    const bool looked = input::can_be_read(spec) && (test.empty() || (!is_names(test) && input::can_be_read(test)));
    if (!looked) throw;
    throw Error::from_message(ExitCode::failed, refusal.what());
  }
  if (params.format == "text") {
    std::cout << printable(spec) << ": " << read << " read, no fault\n";
    for (const std::string& one : warning) log.warn(one);
    return;
  }
  Document document;
  document.facts({{"data", spec}, {"read", read}, {"fault", report::Value()}});
  document.warnings = warning;
  std::cout << report::render({document}, params.format);
}

/// What params.action says.
void do_with_data(const DataParams& params, const Log& log) {
  const std::string& spec = params.task.train;
  if (is_names(spec)) {
    input::check_no_columns("names", params.task.table);
  } else {
    input::check_spec(spec);
  }
  if (params.action == "verify") return verify(params, log);
  if (params.action == "convert") {
    require(!is_names(spec), text(spec, " cannot be converted"), "names are text", "Give the file as it is.");
    const input::ConvertedData made = input::convert_data(params.task, params.output, params.overwrite);
    for (const std::string& one : made.warning) log.warn(one);
    warn_of_exposure(params.output, log);
    log.info(text(params.output, ": ", made.samples, " samples; use them as hdf5:", params.output));
    return;
  }
  std::cout << report::render({is_names(spec) ? description_of_names(spec) : description_of(params)}, params.format);
}

}  // namespace

void run_data(const DataParams& params, const Log& log) {
  if (params.action == "list") {
    std::cout << report::render({list_of_specs()}, params.format);
    return;
  }
  naming_memory(text("cannot ", params.action == "convert" ? "convert " : "read ", params.task.train),
                [&] { do_with_data(params, log); });
}

}  // namespace krossfold::cli
