// SPDX-License-Identifier: BSD-3-Clause
// docs/file-format.md and python/krossfold/result_file.py describe result files exactly as the schemas declare them.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/studies/registry.hpp"
#include "krossfold/studies/svm/schema.hpp"
#include "krossfold/studies/train/schema.hpp"
#include "test/source_folder.hpp"

namespace krossfold {
namespace {

using storage::FieldInfo;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string read_source(const std::string& path) {
  std::ifstream in(test::source_path(KROSSFOLD_SOURCE_FOLDER, "") + "/" + path);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The cells of a row of a Markdown table, in which "\|" stands for a bar.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|') {
      cells.push_back(std::regex_replace(cell, std::regex("^ +| +$"), ""));
      cell.clear();
    } else if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else {
      cell += line[i];
    }
  }
  return cells;
}

const std::string header = "| path | axes | type | units | meaning |";

/// The row of the table for a field.
std::string row_of(const FieldInfo& field) {
  const std::string axes = field.axes.empty() ? "scalar" : std::regex_replace(field.axes, std::regex("\\|"), "\\|");
  return text("| `", field.path, "` | ", axes, " | ", field.type, " | ", field.units, " | ", field.long_name, " |");
}

std::string table_of(const std::vector<FieldInfo>& fields) {
  std::string table = header + "\n|---|---|---|---|---|\n";
  for (const FieldInfo& field : fields) table += row_of(field) + "\n";
  return table;
}

/// The rows of the table of fields in the section with this heading; a row that cannot be read has only a long_name.
std::vector<FieldInfo> rows_in(const std::string& markdown, const std::string& heading) {
  std::istringstream in(markdown);
  std::vector<FieldInfo> rows;
  bool in_section = false, in_table = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) in_section = line == heading;
    in_table = in_section && (line == header || (in_table && line.starts_with("|")));
    if (!in_table || line == header || line.starts_with("|---")) continue;
    const std::vector<std::string> cells = cells_of(line);
    FieldInfo row;
    if (cells.size() == 5 && cells[0].size() > 2 && cells[0].front() == '`' && cells[0].back() == '`') {
      row = {cells[0].substr(1, cells[0].size() - 2),
             cells[1] == "scalar" ? "" : cells[1],
             cells[2],
             cells[3],
             cells[4],
             ""};
    } else {
      row.long_name = line;
    }
    rows.push_back(row);
  }
  return rows;
}

/// What must change in the table so that each field has exactly one row and each row is a field.
std::vector<std::string> differences(const std::vector<FieldInfo>& fields, const std::vector<FieldInfo>& rows) {
  std::vector<std::string> all;
  std::map<std::string, std::vector<FieldInfo>> of_path;
  for (const FieldInfo& row : rows) {
    if (row.path.empty()) all.push_back("this row does not have the cells of the header:\n" + row.long_name);
    if (!row.path.empty()) of_path[row.path].push_back(row);
  }
  for (const FieldInfo& field : fields) {
    const std::vector<FieldInfo>& found = of_path[field.path];
    if (found.empty()) {
      all.push_back(field.path + " has no row; add\n" + row_of(field));
      continue;
    }
    FieldInfo wanted = field;
    wanted.long_name = found[0].long_name.empty() ? field.long_name : found[0].long_name;
    if (found.size() > 1) all.push_back(field.path + " has several rows; keep\n" + row_of(wanted));
    if (found.size() == 1 && row_of(found[0]) != row_of(wanted))
      all.push_back(field.path + " has the row\n" + row_of(found[0]) + "\ninstead of\n" + row_of(wanted));
    of_path.erase(field.path);
  }
  for (const auto& [path, found] : of_path) {
    if (!found.empty()) all.push_back(path + " has a row, but no dataset is called so; remove\n" + row_of(found[0]));
  }
  return all;
}

struct Study {
  std::string heading;
  const storage::Schema& schema;
};

/// Every kind has a table; kinds that share a schema share one: "### Of `krossfold train` and `krossfold names`".
std::vector<Study> studies_with_tables() {
  std::vector<Study> all;
  const run::StudyRegistry registry = studies::all_kinds();
  for (const auto& kind : registry.kinds()) {
    const storage::Schema& schema = kind->schema();
    const std::string name = "`krossfold " + kind->name() + "`";
    const auto same = std::find_if(all.begin(), all.end(), [&](const Study& one) { return &one.schema == &schema; });
    if (same == all.end()) {
      all.push_back({"### Of " + name, schema});
    } else {
      same->heading += " and " + name;
    }
  }
  return all;
}

TEST(FileFormat, page_has_exactly_one_row_for_each_field_of_each_study) {
  const std::string page = read_source("docs/file-format.md");
  for (const Study& study : studies_with_tables()) {
    const std::vector<FieldInfo> rows = rows_in(page, study.heading);
    EXPECT_FALSE(rows.empty()) << "no table " << header << " under " << study.heading;
    for (const std::string& difference : differences(study.schema.fields(), rows)) {
      ADD_FAILURE() << "docs/file-format.md, " << study.heading << ": " << difference;
    }
  }
}

TEST(FileFormat, python_reader_knows_every_path_that_moved_and_no_other) {
  const std::string source = read_source("python/krossfold/result_file.py");
  const std::size_t first = source.find("\nOLD_PATHS = {");
  ASSERT_NE(first, std::string::npos);
  const std::string table = source.substr(first, source.find('}', first) - first);
  std::map<std::string, std::string> known, moved;
  const std::regex entry("\"([^\"]*)\": *\"([^\"]*)\"");
  for (std::sregex_iterator e(table.begin(), table.end(), entry), end; e != end; ++e) known[(*e)[1]] = (*e)[2];
  for (const Study& study : studies_with_tables()) {
    for (const FieldInfo& field : study.schema.fields()) {
      if (!field.old_path.empty()) moved[field.path] = field.old_path;
    }
  }
  EXPECT_EQ(known, moved);
}

// The comparison itself.

TEST(FileFormat, table_written_from_a_schema_has_no_differences) {
  for (const Study& study : studies_with_tables()) {
    const auto& fields = study.schema.fields();
    const std::string page =
        text("# Files\n\n", study.heading, "\n\n", table_of(fields), "\n### Next\n", table_of(fields));
    const std::vector<FieldInfo> rows = rows_in(page, study.heading);
    EXPECT_EQ(rows.size(), fields.size());
    EXPECT_THAT(differences(fields, rows), IsEmpty());
    EXPECT_THAT(rows_in(page, "### Missing"), IsEmpty());
  }
}

TEST(FileFormat, comparison_finds_every_wrong_cell_and_says_what_it_should_be) {
  const auto& fields = studies::svm_schema().fields();
  for (std::size_t k = 0; k < fields.size(); ++k) {
    for (std::string FieldInfo::*cell : {&FieldInfo::axes, &FieldInfo::type, &FieldInfo::units}) {
      std::vector<FieldInfo> rows = fields;
      rows[k].*cell += "x";
      EXPECT_THAT(differences(fields, rows), ElementsAre(HasSubstr("instead of\n" + row_of(fields[k]))));
    }
    std::vector<FieldInfo> rows = fields;
    rows[k].long_name = "";
    EXPECT_THAT(differences(fields, rows), ElementsAre(HasSubstr("instead of\n" + row_of(fields[k]))));
    rows[k].long_name = "in other words";
    EXPECT_THAT(differences(fields, rows), IsEmpty());
  }
}

TEST(FileFormat, comparison_finds_missing_superfluous_repeated_and_malformed_rows) {
  const auto& fields = studies::train_schema().fields();
  std::vector<FieldInfo> rows = fields;
  rows.erase(rows.begin());
  EXPECT_THAT(differences(fields, rows), ElementsAre(HasSubstr("has no row; add\n" + row_of(fields[0]))));
  rows = fields;
  rows.push_back(fields[3]);
  EXPECT_THAT(differences(fields, rows), ElementsAre(HasSubstr("has several rows")));
  rows = fields;
  rows.push_back({"/nothing", "epoch", "int32", "1", "no field", ""});
  EXPECT_THAT(differences(fields, rows), ElementsAre(HasSubstr("/nothing has a row")));
  rows = rows_in("## X\n" + table_of(fields) + "| `/epoch` | epoch | int32 |\n", "## X");
  EXPECT_THAT(differences(fields, rows), ElementsAre(HasSubstr("does not have the cells")));
}

}  // namespace
}  // namespace krossfold
