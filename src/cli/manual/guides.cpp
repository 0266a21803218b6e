// SPDX-License-Identifier: BSD-3-Clause
#include "guides.hpp"

#include <map>

namespace krossfold::cli {

run::Guide guide_of(const std::string& subcommand) {
  static const std::map<std::string, run::Guide> guides = {
      {"predict",
       {"Applies a trained machine, network or ensemble to new data and prints the label of each sample.",
        {{"Labels of a table", "krossfold predict digits.h5 new.csv"},
         {"Decision values and probabilities of each class too", "krossfold predict sure.h5 new.csv --format csv"},
         {"Pictures of any size", "krossfold predict bag.h5 three.png scans/ --format json"}},
        "docs/data.md, docs/ensembles.md",
        {}}},
      {"sample",
       {"Draws names, letter by letter, from a character model.",
        {{"20 names", "krossfold sample names.h5"},
         {"Bolder ones that begin with a B and were not learned",
          "krossfold sample names.h5 --novel --starts-with B --temperature 1.2"}},
        "docs/training.md",
        {}}},
      {"report",
       {"Reports result files: the best cell, the test error, each class, times, warnings. A file of an unfinished "
        "study is "
        "reported as far as it goes.",
        {{"A report to read", "krossfold report digits.h5"},
         {"The same for a script", "krossfold report digits.h5 --format json"},
         {"Is it finished, stopped or running?", "krossfold report digits.h5 --status"},
         {"Two runs of the same study side by side", "krossfold report --compare digits.h5 again.h5"},
         {"Which of several studies has the smallest test error?", "krossfold report --compare digits.h5 cnn.h5"}},
        "docs/measures.md, docs/plots.md",
        {}}},
      {"plan",
       {"Simulates a study on other numbers of ranks from the times in its result file, which may be that of a stopped "
        "study: "
        "makespan, utilisation and hours.",
        {{"Common formations", "krossfold plan digits.h5"},
         {"The cheapest of these that is done within ten minutes",
          "krossfold plan digits.h5 --formation 1x2,1x4,2x4 --deadline 10m"},
         {"At 2.5 for an hour of a node", "krossfold plan digits.h5 --price 2.5 --deadline 10m"}},
        "docs/planning.md, docs/scheduling.md",
        {}}},
      {"data",
       {"Says what data hold (columns, ranges, missing values, classes, what looks wrong), verifies that a study would "
        "take "
        "them, or converts them to HDF5.",
        {{"What is in a table", "krossfold data csv:table.csv --label outcome"},
         {"Would a study take it?", "krossfold data verify csv:table.csv --label outcome"},
         {"Read it once, and every study after that from HDF5",
          "krossfold data convert csv:table.csv --label outcome -o table_data.h5"}},
        "docs/data.md",
        {"krossfold data SPEC [OPTION]...", "krossfold data list", "krossfold data verify SPEC [OPTION]...",
         "krossfold data convert SPEC -o FILE.h5 [OPTION]..."}}},
      {"export",
       {"Writes a model for other programs: SVMs as models of LIBSVM, SVMs and networks as ONNX graphs and as arrays "
        "of NumPy.",
        {{"A graph for onnxruntime, which takes raw features", "krossfold export digits.h5 -o digits.onnx"},
         {"A network's weights under PyTorch's names", "krossfold export bag.h5 -o bag.npz"}},
        "docs/export.md",
        {}}},
      {"import",
       {"Makes a model file of a model of LIBSVM, or of arrays of NumPy, with which krossfold predict or sample works.",
        {{"A model of svm-train", "krossfold import svm.model -o svm.h5"},
         {"A network of arrays under PyTorch's names", "krossfold import bag.npz -o network.h5"}},
        "docs/export.md",
        {}}},
      {"doctor",
       {"Says whether machine, MPI, devices, libraries and file system run a study well, and what to change. Under "
        "MPI, all "
        "ranks go into one table. The exit code is 1 if something is wrong.",
        {{"This machine and folder", "krossfold doctor"},
         {"The ranks of a job and where its results go", "mpirun -n 2 krossfold doctor -o results.h5"}},
        "docs/doctor.md",
        {}}},
      {"help",
       {"Explains a subcommand, as its --help does. Writes manual pages and completion scripts, too, for programs that "
        "are not "
        "installed.",
        {{"All options of krossfold svm", "krossfold help svm"},
         {"Its manual page", "krossfold help svm --man | man -l -"},
         {"The options of one kind of network", "krossfold help train lstm"},
         {"Completion in this bash", "source <(krossfold help --completion bash)"},
         {"Manual pages and completion for all shells of yours to come", "krossfold help --write ~/.local"}},
        "README.md",
        {"krossfold help [SUBCOMMAND [KIND]] [--man]", "krossfold help --completion SHELL",
         "krossfold help --write FOLDER"}}}};
  const auto found = guides.find(subcommand);
  return found == guides.end() ? run::Guide{} : found->second;
}

}  // namespace krossfold::cli
