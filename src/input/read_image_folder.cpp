// SPDX-License-Identifier: BSD-3-Clause
#include "read_image_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "krossfold/core/error.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/input/picture.hpp"

namespace krossfold::input {
namespace {

namespace fs = std::filesystem;

/// The visible entries of a folder in byte order.
struct Listing {
  std::vector<std::string> folders{}, pictures{}, others{};
};

Listing list(const std::string& folder) {
  Listing listing;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (entry->path().filename().string().starts_with('.')) continue;
    std::error_code ignored;
    const std::string path = entry->path().string();
    if (entry->is_directory(ignored)) {
      listing.folders.push_back(path);
    } else {
      (is_picture(*entry) ? listing.pictures : listing.others).push_back(path);
    }
  }
  if (fault) throw_input_error(text("cannot read the folder ", folder), fault.message());
  for (auto* files : {&listing.folders, &listing.pictures, &listing.others}) std::sort(files->begin(), files->end());
  return listing;
}

void check_no_other_format(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::string end = fs::path(file).extension().string();
    std::transform(end.begin(), end.end(), end.begin(), [](unsigned char letter) { return std::tolower(letter); });
    for (const char* format : {".gif", ".bmp", ".tif", ".tiff", ".webp", ".pgm", ".ppm", ".pnm", ".heic", ".avif"}) {
      require(end != format, text(file, " is in a format that is not read"), "pictures are PNG or JPEG files",
              "Convert it to PNG.");
    }
  }
}

/// The files of a data set and their classes; no classes if the folder holds pictures only.
struct Found {
  std::vector<std::string> file{}, label{};
};

void add_class(const std::string& folder, Found& found, std::vector<std::string>& others, Notes& notes) {
  const Listing listing = list(folder);
  if (!listing.folders.empty()) {
    throw_input_error(text(listing.folders[0], " is a folder within the folder of a class"),
                      text(folder, " was taken for a class"),
                      text("Put the pictures of a class directly into its folder; or, if ", folder,
                           " is the training or the test part, give images:", folder, "."));
  }
  check_no_other_format(listing.others);
  others.insert(others.end(), listing.others.begin(), listing.others.end());
  if (listing.pictures.empty()) notes.warning.push_back(text("the folder ", folder, " holds no pictures"));
  found.file.insert(found.file.end(), listing.pictures.begin(), listing.pictures.end());
  found.label.insert(found.label.end(), listing.pictures.size(), fs::path(folder).filename().string());
}

Found find_pictures(const std::string& folder, bool labelled, Notes& notes) {
  const Listing top = list(folder);
  check_no_other_format(top.others);
  Found found;
  std::vector<std::string> others = top.others;
  if (top.folders.empty()) {
    require(!labelled || top.pictures.empty(), text(folder, " has no folders of classes"), "it holds pictures only",
            "Put the pictures of each class into a folder that is named after it.");
    found.file = top.pictures;
  } else if (!top.pictures.empty()) {
    throw_input_error(text(top.pictures[0], " belongs to no class"), "it lies beside the folders of the classes",
                      "Move it into one of them.");
  }
  for (const std::string& one : top.folders) add_class(one, found, others, notes);
  require(!found.file.empty(), text("there are no pictures in the folder ", folder),
          "no name ends with .png, .jpg or .jpeg",
          "Put the pictures of each class into a folder that is named after it.");
  if (!others.empty()) {
    notes.warning.push_back(text(others.size(), others.size() == 1 ? " file is" : " files are",
                                 " no pictures and left out, such as ", others[0]));
  }
  return found;
}

bool has_colour(const Picture& picture) {
  const std::size_t n = picture.pixels();
  const auto red = picture.pixel.begin(), green = red + static_cast<std::ptrdiff_t>(n);
  return picture.channels == 3 &&
         (!std::equal(red, green, green) || !std::equal(red, green, green + static_cast<std::ptrdiff_t>(n)));
}

std::string size_of(const Picture& picture) { return text(picture.width, "x", picture.height); }

/// Decodes all files into rows of samples.
class Reader {
public:
  Reader(const std::string& folder, const Found& found, const data::ImageShape& expected)
      : folder_(folder), files_(found.file), expected_(expected) {}

  void run();

  Matrix<float> raw{};
  data::ImageShape shape{};
  std::string decoded{};  ///< "8-bit grey (60 files)", how pictures were in their files and what became of them
  int made_grey = 0;      ///< pictures in colour that became grey, as those of the training data

private:
  bool read_all(int channels);
  void start(const Picture& first, int channels);

  const std::string& folder_;
  const std::vector<std::string>& files_;
  const data::ImageShape& expected_;
};

void Reader::start(const Picture& first, int channels) {
  shape = {first.width, first.height, channels};
  data::check_image(shape, expected_, folder_);
  const auto features = std::uint64_t{first.pixels()} * static_cast<std::uint64_t>(channels);
  raw = {};
  raw = data::allocate_samples(files_.size(), features, folder_);
}

/// Returns false if a picture needs three channels and gets only one.
bool Reader::read_all(int channels) {
  std::map<std::string, int> made;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Picture picture = read_picture(files_[i], {.colour = Colour::kept});
    if (i == 0) start(picture, channels);
    if (picture.width != shape.width || picture.height != shape.height) {
      throw_input_error(text(files_[i], " has ", size_of(picture), " pixels"),
                        text(files_[0], " has ", shape.width, "x", shape.height,
                             ", and all pictures of a data set must have the same size"),
                        "Scale or crop them to one size.");
    }
    if (channels == 1 && has_colour(picture)) {
      if (!expected_.is_image()) return false;
      picture = read_picture(files_[i], {.colour = Colour::grey});
      ++made_grey;
    }
    for (int c = 0; c < channels; ++c) {
      const std::size_t from = (picture.channels == 1 ? 0 : c) * picture.pixels();
      std::copy_n(picture.pixel.data() + from, picture.pixels(), &raw(i, 0) + c * picture.pixels());
    }
    ++made[picture.made.substr(picture.made.find(", ") + 2)];
  }
  decoded.clear();
  for (const auto& [how, count] : made) {
    decoded += text(decoded.empty() ? "" : "; ", how, made.size() == 1 ? "" : text(" (", count, ")"));
  }
  return true;
}

void Reader::run() {
  if (expected_.is_image()) {
    read_all(expected_.channels);
  } else if (!read_all(1)) {
    read_all(3);
  }
}

/// "cat 20 (33.3 %), dog 40 (66.7 %)".
std::string shares_of(const data::Labels& labels) {
  constexpr std::size_t most = 20;
  std::vector<int> count(labels.class_name.size(), 0);
  for (std::size_t i = 0; i < labels.label.extent(0); ++i) {
    if (labels.label(i) >= 0) ++count[static_cast<std::size_t>(labels.label(i))];
  }
  std::string shares;
  for (std::size_t c = 0; c < std::min(most, count.size()); ++c) {
    const double share = 100.0 * count[c] / static_cast<double>(labels.label.extent(0));
    shares += text(c == 0 ? "" : ", ", printable(labels.class_name[c]), " ", count[c], " (", fixed(share, 1), " %)");
  }
  return count.size() > most ? shares + ", ..." : shares;
}

}  // namespace

data::Dataset read_image_folder(const std::string& folder, const tables::ReadParams& params, Notes& notes) {
  const Found found = find_pictures(folder, params.labelled, notes);
  data::Labels labels;
  if (!found.label.empty()) labels = data::index_names(found.label, params.known_classes, folder, params.odd_label());
  Reader reader(folder, found, params.image);
  reader.run();
  const auto& [width, height, channels] = reader.shape;
  data::check_features(width * height * channels, params.features, folder);
  notes.understood.push_back(text(folder, ": ", found.file.size(), " pictures of ", width, "x", height, " pixels, ",
                                  channels == 3 ? "in colour" : "in grey", "; files: ", reader.decoded));
  if (reader.made_grey > 0) {
    notes.warning.push_back(text(reader.made_grey, reader.made_grey == 1 ? " picture" : " pictures", " in colour of ",
                                 folder, " became grey, as those of the training data are"));
  }
  if (!found.label.empty()) {
    notes.understood.push_back(
        text("label: the folders, with ", labels.class_name.size(), " classes: ", shares_of(labels)));
  }
  data::Dataset samples = data::make_dataset(folder, reader.raw, labels.label, labels.class_name, reader.shape);
  samples.white = 255;
  return samples;
}

}  // namespace krossfold::input
