// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/ranges.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/doctor/examine.hpp"
#include "krossfold/report/format.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

namespace {

report::Table findings_table(const std::vector<Finding>& findings) {
  report::Table table;
  table.key = "checks";
  table.in_text = false;
  table.add({"check", "check"}, findings, &Finding::check);
  table.add({"verdict", "verdict"}, findings,
            [](const Finding& finding) -> report::Cell { return name_of(finding.verdict); });
  table.add({"found", "found"}, findings, &Finding::found);
  table.add({"remedy", "remedy"}, findings, &Finding::remedy);
  return table;
}

report::Table ranks_table(const Ranks& ranks) {
  report::Table table;
  table.key = "ranks";
  table.in_text = false;
  table.rows.resize(ranks.size());
  table.add({"rank", "rank"}, [](std::size_t r) -> report::Cell { return r; });
  const auto add = [&](const char* key, auto cell) { table.add({key, key}, ranks, cell); };
  using Rank = const RankFacts&;
  add("host", [](Rank rank) -> report::Cell { return rank.place.host; });
  add("backend", [](Rank rank) -> report::Cell { return rank.place.backend; });
  add("device", [](Rank rank) -> report::Cell {
    return rank.place.device >= 0 ? report::Value(rank.place.device) : report::Value();
  });
  add("devices", [](Rank rank) -> report::Cell { return rank.place.devices; });
  add("pci_bus_id", [](Rank rank) -> report::Cell { return rank.place.state.id; });
  add("threads", &RankFacts::concurrency);
  add("processors", [](Rank rank) -> report::Cell { return ranges(rank.processors); });
  add("processor", &RankFacts::processor);
  add("mpi", &RankFacts::mpi);
  add("mpi_threads", [](Rank rank) -> report::Cell { return name_of(rank.threads); });
  add("gpu_aware", &RankFacts::gpu_aware);
  add("blas", &RankFacts::blas);
  add("hdf5", &RankFacts::hdf5);
  add("memory", [](Rank rank) -> report::Cell { return static_cast<std::size_t>(rank.memory); });
  add("free_memory", [](Rank rank) -> report::Cell { return static_cast<std::size_t>(rank.free_memory); });
  add("shared_memory", [](Rank rank) -> report::Cell { return static_cast<std::size_t>(rank.shared_memory); });
  add("open_files", [](Rank rank) -> report::Cell { return static_cast<std::size_t>(rank.open_files); });
  return table;
}

}  // namespace

report::Document document_of(const Examination& examination, bool only_problems) {
  const Verdict verdict = worst(examination.findings);
  const auto ranks = static_cast<int>(examination.ranks.size());
  const auto hosts = static_cast<int>(hosts_of(examination.ranks).size());
  report::Document document;
  document.title = text("krossfold ", build_info().version, " with ", report::counted(ranks, "rank"), " on ",
                        report::counted(hosts, "host"), ": ", name_of(verdict));
  document.facts({{"version", build_info().version}, {"verdict", name_of(verdict)}, {"hosts", hosts}});
  for (const Finding& finding : examination.findings) {
    if (only_problems && finding.verdict == Verdict::ok) continue;
    std::string label = name_of(finding.verdict);
    label.resize(std::string("wrong  ").size(), ' ');
    document.line(label + finding.check, finding.found);
    if (!finding.remedy.empty()) document.line("", finding.remedy);
  }
  document.table(findings_table(examination.findings));
  document.table(ranks_table(examination.ranks));
  return document;
}

}  // namespace krossfold::doctor
