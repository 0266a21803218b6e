// SPDX-License-Identifier: BSD-3-Clause
#include "man_page.hpp"

#include "help_text.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

namespace {

/// Text as roff takes it literally; a hyphen as the one of ASCII, which the command line takes.
std::string literal(const std::string& words) {
  std::string all;
  bool begins_line = true;
  for (const char letter : words) {
    if (begins_line && (letter == '.' || letter == '\'')) all += "\\&";
    begins_line = letter == '\n';
    switch (letter) {
      case '\\':
        all += "\\e";
        break;
      case '-':
        all += "\\-";
        break;
      case '^':
        all += "\\(ha";
        break;
      case '~':
        all += "\\(ti";
        break;
      case '\'':
        all += "\\(aq";
        break;
      case '`':
        all += "\\(ga";
        break;
      default:
        all += letter;
    }
  }
  return all;
}

std::string bold(const std::string& words) { return text("\\fB", literal(words), "\\fR"); }
std::string italic(const std::string& words) { return text("\\fI", literal(words), "\\fR"); }
std::string section(const std::string& title) { return text(".SH ", title, "\n"); }
std::string item(const std::string& head, const std::string& body) {
  return text(".TP\n", head, "\n", literal(body), "\n");
}

std::string head_of(const run::Option& option) {
  if (option.is_positional) return italic(option.metavar) + (option.repeats ? "..." : "");
  const std::string letter = option.letter.empty() ? "" : bold("-" + option.letter) + ", ";
  return letter + bold(shown_name(option)) + (option.is_flag ? "" : " " + italic(option.metavar));
}

std::string option_item(const run::Option& option) {
  std::string all = item(head_of(option), description_of(option));
  if (option.choices.empty()) return all;
  all += ".RS\n";
  for (const run::Choice& choice : option.choices) {
    all += choice.meaning.empty() ? text(".PP\n", bold(choice.word), "\n") : item(bold(choice.word), choice.meaning);
  }
  return all + ".RE\n";
}

std::string title(const std::string& name, const std::string& version, const std::string& summary) {
  return text(
      "."
      "\\\" Made by krossfold help --write.\n.TH ",
      literal(name), " 1 \"\" \"krossfold ", literal(version), "\" \"Krossfold\"\n.nh\n.ad l\n", section("NAME"),
      literal(name), " \\- ", literal(summary), "\n");
}

std::string synopsis(const std::vector<std::string>& forms) {
  std::string all = section("SYNOPSIS") + ".nf\n";
  for (const std::string& form : forms) all += literal(form) + "\n";
  return all + ".fi\n";
}

std::string examples(const std::vector<run::Example>& all_examples) {
  if (all_examples.empty()) return "";
  std::string all = section("EXAMPLES");
  for (const run::Example& example : all_examples) {
    all += text(".PP\n", literal(titled(example)), "\n.PP\n.RS 4\n.nf\n", literal(in_lines(example.command, 0, 66)),
                ".fi\n.RE\n");
  }
  return all;
}

std::string exit_status(bool of_study) {
  std::string all = section("EXIT STATUS");
  for (const auto& [code, meaning] : exit_codes(of_study)) all += item(bold(code), meaning);
  return all;
}

std::string manual(const std::string& name) { return bold(name) + "(1)"; }

}  // namespace

std::string man_page(const CommandPage& page, const std::string& version) {
  const std::string name = "krossfold-" + page.name;
  std::string all = title(name, version, page.summary) + synopsis(page.guide.usage);
  if (!page.guide.description.empty()) all += section("DESCRIPTION") + literal(page.guide.description) + "\n";
  all += section("OPTIONS");
  for (const CommandPage::Group& group : page.groups) {
    all += text(".SS ", literal(group.heading), "\n");
    for (const run::Option& option : group.options) all += option_item(option);
  }
  return text(all, examples(page.guide.examples), exit_status(page.is_study()), section("SEE ALSO"),
              manual("krossfold"), page.guide.pages.empty() ? "" : ", " + literal(page.guide.pages), "\n");
}

std::string man_page(const std::vector<CommandPage>& pages, const std::string& version) {
  std::string all = title("krossfold", version, "cross-validated model selection on CPUs and GPUs") +
                    synopsis(program_usage) + section("DESCRIPTION") + literal(program_description) + "\n" +
                    section("SUBCOMMANDS");
  for (const CommandPage& page : pages) all += item(manual("krossfold-" + page.name), page.summary);
  all += section("OPTIONS") +
         item(text(bold("-h"), ", ", bold("--help")), "print the subcommands, or the options of one") +
         item(bold("--version"), "print the version");
  all +=
      examples({{"Search a small grid on the built-in digits", "krossfold svm --data digits --grid 8x8 -o results.h5"},
                {"The same on 4 ranks", "mpirun -n 4 krossfold svm --data digits --grid 8x8 -o results.h5"}});
  all += exit_status(true) + section("ENVIRONMENT") +
         item(bold("KROSSFOLD_DATA"),
              "folder with a folder for each named data set, such as mnist; the next is "
              "$XDG_CACHE_HOME/krossfold or ~/.cache/krossfold") +
         item(bold("OPENBLAS_CORETYPE"),
              "kernel of OpenBLAS; krossfold sets it where OpenBLAS does not know the processor") +
         section("SEE ALSO") + "README.md, docs/tutorial.md, docs/slurm.md, docs/errors.md";
  for (const CommandPage& page : pages) all += ",\n" + manual("krossfold-" + page.name);
  return all + "\n";
}

}  // namespace krossfold::cli
