// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/export_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/interchange/import_model.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::interchange {
namespace {

TEST(ExportModel, and_import_make_files_with_the_permissions_that_the_umask_leaves) {
  const test::TemporaryFolder folder;
  storage::write_container(folder / "svm.h5", model::to_container(test::sample_machine()));
  for (const auto& [mask, expected] : {std::pair{0022U, 0644U}, {0077U, 0600U}}) {
    const test::Umask umask(mask);
    for (const char* ending : {".npz", ".onnx"}) {
      const std::string path = folder / text(mask, ending);
      export_model(folder / "svm.h5", path);
      EXPECT_EQ(test::permissions_of(path), expected) << path << ", umask " << mask;
    }
    const std::string again = folder / text(mask, ".h5");
    import_model(folder / text(mask, ".npz"), again, {});
    EXPECT_EQ(test::permissions_of(again), expected) << again << ", umask " << mask;
  }
}

TEST(ExportModel, writes_through_no_link) {
  const test::TemporaryFolder folder;
  storage::write_container(folder / "svm.h5", model::to_container(test::sample_machine()));
  test::put(folder / "precious", "precious");
  std::filesystem::create_symlink("precious", folder / "a.npz");
  std::filesystem::create_symlink("none", folder / "b.npz");
  for (const char* name : {"a.npz", "b.npz"}) {
    const std::string message =
        test::message_of(ExitCode::usage, [&] { export_model(folder / "svm.h5", folder / name); });
    EXPECT_NE(message.find("exists"), std::string::npos) << message;
  }
  EXPECT_EQ(test::content_of(folder / "precious"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace
}  // namespace krossfold::interchange
