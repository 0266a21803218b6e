// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A kind of study whose units are numbered, and result files of it.

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/report/format.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::test {

struct ItemSchema : run::ResultSchema {
  storage::Field<std::int32_t> item = add_index("/item", "number of the item");
  run::UnitFields unit = add_units("/unit", "item");
};

inline const ItemSchema& item_schema() {
  static const ItemSchema schema;
  return schema;
}

inline Record item_record(int item, double started, double seconds, int rank = 0) {
  Record record;
  record.key = {0, {item, 0, 0}};
  record.status = Status::done;
  record.started = started;
  record.seconds = seconds;
  record.rank = rank;
  return record;
}

/// The result of a study of so many items, without attributes.
inline run::ResultFile item_file(std::size_t items, const std::vector<Record>& records) {
  run::ResultFile file{"there/r.h5", {}};
  const storage::FieldWriter writer(file.content);
  writer.put_index(item_schema().item, items);
  run::UnitTable table(items);
  for (const Record& record : records) table.set(static_cast<std::size_t>(record.key.index[0]), record);
  table.write(writer, item_schema().unit);
  return file;
}

/// Has no command; what is compared are attributes.
class ItemKind : public run::StudyKind {
public:
  explicit ItemKind(std::string name = "items") : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::string summary() const override { return "a kind of tests"; }
  std::unique_ptr<run::StudyCommand> command() const override { return nullptr; }
  const storage::Schema& schema() const override { return item_schema(); }
  report::Document report(const run::ResultFile& file) const override {
    return run::begin_document(run::ResultSummary(file), "items");
  }
  std::set<std::string> shared_options() const override { return {"workers"}; }
  run::Comparable comparable(const run::ResultFile& file) const override {
    run::ResultSummary summary(file);
    summary.unit_seconds = report::real(file.content, "computing");
    summary.set_utilisation(file);
    run::Comparable one = run::comparable_units(summary);
    one.work = "3 items";
    one.quality_name = "test error";
    return one;
  }
  std::vector<report::Document> plan(const run::ResultFile&, const run::PlanRequest&) const override { return {}; }

private:
  std::string name_;
};

inline run::StudyRegistry item_registry() {
  run::StudyRegistry registry;
  registry.add(std::make_unique<ItemKind>());
  registry.add(std::make_unique<ItemKind>("things"));
  return registry;
}

}  // namespace krossfold::test
