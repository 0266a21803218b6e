// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/locate.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/text.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

namespace fs = std::filesystem;
using test::sample_machine;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

/// A result file that names models, with their checksums.
storage::Container result_of(const std::string& kind, const std::string& status, const std::string& model = "",
                             const std::string& checksum = "") {
  storage::Container result;
  result.attributes["kind"] = kind;
  result.attributes["status"] = status;
  result.attributes["model"] = model;
  result.attributes["model_checksum"] = checksum;
  return result;
}

TEST(FindModel, knows_a_model_file_its_folder_and_its_result_file) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "study.models");
  const std::string model = folder / "study.models/svm.h5";
  storage::write_container(model, to_container(sample_machine()));
  const std::string checksum = text(std::hex, crc64(storage::to_bytes(to_container(sample_machine()))));
  storage::write_container(folder / "study.h5", result_of("svm", "stopped", "svm.h5", checksum));
  const std::vector<std::string> found{model};
  EXPECT_EQ(find_models(model), found);
  EXPECT_EQ(find_models(folder / "study.models"), found);
  EXPECT_EQ(find_models(folder / "study.h5"), found);
}

TEST(FindModel, refuses_a_model_that_its_result_file_was_not_written_with) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "study.models");
  storage::write_container(folder / "study.models/svm.h5", to_container(sample_machine()));
  storage::write_container(folder / "study.h5", result_of("svm", "stopped", "svm.h5", "1234"));
  const std::string message = test::message_of(ExitCode::usage, [&] { find_models(folder / "study.h5"); });
  EXPECT_NE(message.find("checksum"), std::string::npos) << message;
}

TEST(FindModel, says_why_there_is_none) {
  const TemporaryFolder folder;
  storage::write_container(folder / "unfinished.h5", result_of("svm", "stopped"));
  storage::write_container(folder / "finished.h5", result_of("svm", "finished"));
  const auto message = [&](const std::string& name) {
    return test::message_of(ExitCode::usage, [&] { find_models(folder / name); });
  };
  EXPECT_NE(message("unfinished.h5").find("the study is not finished"), std::string::npos);
  EXPECT_NE(message("finished.h5").find("ran without a refit"), std::string::npos);
  EXPECT_NE(message("nothing.h5").find("nothing.h5"), std::string::npos);
  fs::create_directory(folder / "empty.models");
  EXPECT_NE(message("empty.models").find("svm.h5"), std::string::npos);
  // A result file may be untrusted: only models beside it are read.
  storage::write_container(folder / "hostile.h5", result_of("svm", "stopped", "../../elsewhere/svm.h5"));
  EXPECT_NE(message("hostile.h5").find("hostile.h5"), std::string::npos);
}

TEST(FindModel, of_a_folder_finds_networks_in_the_order_of_their_numbers) {
  const TemporaryFolder folder;
  for (const char* name : {"bootstrap_100.h5", "bootstrap_11.h5", "bootstrap_02.h5", "other.h5", "bootstrap_03.part"}) {
    test::put(folder / name, "");
  }
  EXPECT_THAT(find_models(folder.path()),
              ElementsAre(folder / "bootstrap_02.h5", folder / "bootstrap_11.h5", folder / "bootstrap_100.h5"));
  test::put(folder / "svm.h5", "");
  EXPECT_THAT(find_models(folder.path()), ElementsAre(folder / "svm.h5"));
}

TEST(FindModel, refuses_to_choose_among_character_models) {
  const TemporaryFolder folder;
  for (const char* name : {"lstm_00.h5", "lstm_01.h5"}) test::put(folder / name, "");
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { find_models(folder.path()); }), HasSubstr("several trainings"));
}

/// A folder of models with these names, and the checksums of their files.
std::vector<std::string> put_models(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> checksums;
  fs::create_directory(folder);
  for (const std::string& name : names) {
    test::put(folder + "/" + name, "model " + name);
    checksums.push_back(text(std::hex, crc64(test::bytes_of("model " + name))));
  }
  return checksums;
}

TEST(FindModel, of_a_training_with_split_weights_finds_every_part) {
  const TemporaryFolder folder;
  const auto checksum = put_models(folder / "t.models", {"network-00.h5", "network-01.h5"});
  storage::write_container(
      folder / "t.h5", result_of("train", "finished", "network-00.h5 network-01.h5", checksum[0] + " " + checksum[1]));
  EXPECT_THAT(find_models(folder / "t.h5"),
              ElementsAre(folder / "t.models/network-00.h5", folder / "t.models/network-01.h5"));
  fs::remove(folder / "t.models/network-01.h5");
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { find_models(folder / "t.h5"); }),
              HasSubstr("network-01.h5 is missing"));
}

TEST(FindModel, of_bagging_of_any_version_finds_the_networks_whose_final_fit_is_done) {
  const TemporaryFolder folder;
  const auto checksum = put_models(folder / "b.models", {"bootstrap_00.h5", "bootstrap_02.h5"});
  storage::Container result = result_of("bag", "stopped");
  const auto write = [&](std::vector<std::string> names, std::vector<std::string> checksums) {
    const std::uint64_t n = names.size();
    result.arrays = {storage::Array{"/final/model", {n}, std::move(names), {}, "1", "model"},
                     storage::Array{"/final/model_checksum", {n}, std::move(checksums), {}, "1", "CRC-64"}};
    storage::write_container(folder / "b.h5", result);
  };
  const auto refusal = [&] { return test::message_of(ExitCode::usage, [&] { find_models(folder / "b.h5"); }); };
  write({"bootstrap_00.h5", "", "bootstrap_02.h5"}, {checksum[0], "", checksum[1]});
  EXPECT_THAT(find_models(folder / "b.h5"),
              ElementsAre(folder / "b.models/bootstrap_00.h5", folder / "b.models/bootstrap_02.h5"));
  write({"bootstrap_00.h5"}, {checksum[1]});
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("bootstrap_00.h5"), HasSubstr("checksum")));
  write({"", ""}, {"", ""});
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("b.h5"), HasSubstr("the study is not finished")));
  result.attributes["status"] = std::string("finished");
  write({"", ""}, {"", ""});
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("b.h5"), HasSubstr("its final fits failed or diverged")));
  storage::write_container(folder / "b.h5", result_of("bag", "finished", "bootstrap_00.h5 bootstrap_02.h5",
                                                      checksum[0] + " " + checksum[1]));
  EXPECT_THAT(find_models(folder / "b.h5"), testing::SizeIs(2));
}

}  // namespace
}  // namespace krossfold::model
