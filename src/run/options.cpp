// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/option_table.hpp"

namespace krossfold::run {

std::string fingerprint_text(const std::vector<OptionValue>& options) {
  std::string lines;
  for (const OptionValue& option : options) {
    if (option.name != "data" && option.name != "test") lines += option.name + " = " + option.value + "\n";
  }
  return lines;
}

std::vector<OptionValue> older_values(const std::vector<OptionValue>& options) {
  const auto value = [&](const std::string& name) {
    const auto found = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
    return found == options.end() ? std::string("none") : found->value;
  };
  const std::string data = value("data");
  std::vector<OptionValue> older;
  if (value("test").empty() && !data.starts_with("mnist")) older.push_back({"test-part", "last", false});
  if (value("stop-ratio") != "none" && value("momentum") != "none") older.push_back({"validation", "none", false});
  if (data.starts_with("csv:") || data.starts_with("libsvm:")) older.push_back({"image", "auto", false});
  return older;
}

std::string to_json(const std::vector<OptionValue>& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const OptionValue& option : options) {
    all[option.name] = {{"value", option.value}, {"default", option.is_default}};
  }
  // Bytes of a file name that are not UTF-8 are replaced.
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<OptionValue> options_from_json(const std::string& json, const std::string& name) {
  const std::string problem = text("the options in ", name, " cannot be read");
  std::vector<OptionValue> options;
  try {
    const auto all = nlohmann::ordered_json::parse(json);
    for (const auto& [option, content] : all.items()) {
      // Names become keys of reports, where a dot begins an object.
      require(option.find('.') == std::string::npos, problem, text("one is named ", option));
      options.push_back({option, content.at("value").get<std::string>(), content.at("default").get<bool>()});
    }
  } catch (const nlohmann::json::exception& error) {
    throw_input_error(problem, error.what());
  }
  require(!options.empty(), problem, "there are none");
  return options;
}

std::string value_from_json(const std::string& json, const std::string& name, const std::string& option) {
  const std::vector<OptionValue> options = options_from_json(json, name);
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const OptionValue& one) { return one.name == option; });
  return found == options.end() ? "" : found->value;
}

void check_powers(const Range& range, const std::string& option, double highest, const std::string& example) {
  require(std::isfinite(range.low) && std::isfinite(range.high) && range.low <= range.high && range.low >= -30 &&
              range.high <= highest,
          text("bad range ", value_of(range), " of ", option),
          text("LO:HI are powers of ten between -30 and ", shortest(highest), ", LO not above HI"),
          text("For example ", option, " ", example, "."));
}

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t first = 0; first <= list.size();) {
    if (first < list.size() && list[first] == '"') {
      std::string item;
      std::size_t at = first + 1;
      for (; at < list.size() && (list[at] != '"' || list.compare(at, 2, "\"\"") == 0); ++at) {
        item += list[at];
        if (list[at] == '"') ++at;
      }
      if (at < list.size() && (at + 1 == list.size() || list[at + 1] == ',')) {
        items.push_back(std::move(item));
        first = at + 2;
        continue;
      }
    }
    const std::size_t comma = std::min(list.find(',', first), list.size());
    items.push_back(list.substr(first, comma - first));
    first = comma + 1;
  }
  return items;
}

std::string list_item(const std::string& item) {
  if (item.find(',') == std::string::npos && !item.starts_with('"')) return item;
  std::string quoted = "\"";
  for (const char letter : item) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

std::pair<std::string, std::string> split_range(const std::string& value, const std::string& shown) {
  require(!value.empty(), text("bad value '' for ", shown), "expected a range LO:HI or a number",
          text("For example ", shown, " 1:32."));
  const auto colon = value.find(':');
  if (colon == std::string::npos) return {value, value};
  return {value.substr(0, colon), value.substr(colon + 1)};
}

std::vector<OptionValue> values_of(const OptionTable& table, const OptionTable& defaults) {
  std::vector<OptionValue> values;
  for (std::size_t k = 0; k < table.options().size(); ++k) {
    const std::string value = table.options()[k].get();
    values.push_back({table.options()[k].name, value, value == defaults.options()[k].get()});
  }
  return values;
}

}  // namespace krossfold::run
