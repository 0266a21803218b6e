// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/read_png.hpp"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "png_header.hpp"

namespace krossfold::input {
namespace {

/// Sample `k` of 8 or 16 bits of a pixel.
template <int bytes_a_sample>
int sample_of(const unsigned char* at, int k) {
  const unsigned char* first = at + k * bytes_a_sample;
  return bytes_a_sample == 2 ? first[0] << 8 | first[1] : static_cast<int>(first[0]);
}

/// The channels, 0 to 255, of a pixel of R, G, B or grey samples; `colour` says whether those of R, G, B become one.
template <int bytes_a_sample>
void put_channels(const unsigned char* at, bool coloured, Colour colour, double* channel) {
  constexpr double white = bytes_a_sample == 2 ? 65535 : 255;
  const auto sample = [at](int k) { return sample_of<bytes_a_sample>(at, k); };
  if (coloured && colour == Colour::grey) {
    channel[0] = bt601_grey(sample(0), sample(1), sample(2), white);
  } else {
    for (int c = 0; c < (coloured ? 3 : 1); ++c) channel[c] = sample(c) / (white / 255);
  }
}

template <int bytes_a_sample>
double opacity_of(const unsigned char* at) {
  return bytes_a_sample == 2 ? (at[0] << 8 | at[1]) / 65535.0 : at[0] / 255.0;
}

/// A picture being decoded. libpng reports errors by a longjmp back into `guarded`, so everything with a destructor
/// lives here, outside the frames it skips.
class Decoder {
public:
  Decoder(std::span<const std::byte> bytes, const std::string& name, const DecodeParams& params);
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Decodes everything into `picture`, whose width and height are set.
  void run(Picture& picture);

  bool transparent() const { return transparent_; }  ///< true if some pixel was not opaque
  bool coloured() const { return channels_ >= 3 || colours_ > 0; }

private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp message);
  static void on_warning(png_structp, png_const_charp) {}  // warnings concern only what is ignored here
  static void give_bytes(png_structp png, png_bytep to, std::size_t count);

  template <void (Decoder::*step)()>
  void guarded();
  void read_header();
  void read_palette();
  void read_rows();
  template <int bytes_a_sample>
  void place_row(int row, int first, int step, int count);

  std::span<const std::byte> bytes_;
  const std::string& name_;
  DecodeParams params_;
  std::size_t used_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  Picture* picture_ = nullptr;
  std::vector<unsigned char> row_{};
  int channels_ = 0, depth_ = 0, colours_ = 0;  ///< after libpng's conversions; colours_ is the palette size, or 0
  double palette_[256][3] = {}, palette_opaque_[256] = {};
  bool transparent_ = false, cut_off_ = false;
  char fault_[200] = "";
};

Decoder::Decoder(std::span<const std::byte> bytes, const std::string& name, const DecodeParams& params)
    : bytes_(bytes), name_(name), params_(params) {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Decoder::on_error, &Decoder::on_warning);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
  if (info_ == nullptr) {
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw_run_error("libpng cannot start", "its version differs from that compiled for, or memory is short");
  }
}

void Decoder::on_error(png_structp png, png_const_charp message) {
  auto* self = static_cast<Decoder*>(png_get_error_ptr(png));
  std::snprintf(self->fault_, sizeof self->fault_, "%s", message);
  png_longjmp(png, 1);
}

void Decoder::give_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* self = static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > self->bytes_.size() - self->used_) {
    self->cut_off_ = true;
    png_error(png, "the file ends");
  }
  std::memcpy(to, self->bytes_.data() + self->used_, count);
  self->used_ += count;
}

/// Runs `step` and turns libpng errors into input errors. Nothing in `step` may have a destructor.
template <void (Decoder::*step)()>
void Decoder::guarded() {
  if (setjmp(png_jmpbuf(png_)) == 0) {
    (this->*step)();
    return;
  }
  if (cut_off_) {
    throw_input_error(text(name_, " is cut off"), text("its picture continues past its last byte, number ", used_),
                      "fetch the file again");
  }
  throw_input_error(text(name_, " is damaged before byte ", used_), fault_, "fetch the file again");
}

void Decoder::read_header() {
  png_set_read_fn(png_, this, &Decoder::give_bytes);
  png_set_user_limits(png_, longest_picture_side, longest_picture_side);
  png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // never decompress texts and profiles
  png_read_info(png_, info_);
  if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) {
    read_palette();
    png_set_packing(png_);  // one byte per index
  } else {
    png_set_expand(png_);  // 1 to 4 bits to 8, tRNS to alpha
  }
  png_read_update_info(png_, info_);  // without interlace handling: place_row() places the pixels of each pass
  channels_ = png_get_channels(png_, info_);
  depth_ = png_get_bit_depth(png_, info_);
}

void Decoder::read_palette() {
  png_colorp palette = nullptr;
  png_get_PLTE(png_, info_, &palette, &colours_);
  png_bytep opaque = nullptr;
  int opacities = 0;
  png_get_tRNS(png_, info_, &opaque, &opacities, nullptr);
  for (int k = 0; k < colours_ && k < 256; ++k) {
    const unsigned char rgb[] = {palette[k].red, palette[k].green, palette[k].blue};
    put_channels<1>(rgb, true, params_.colour, palette_[k]);
    palette_opaque_[k] = k < opacities ? opacity_of<1>(opaque + k) : 1;
  }
}

void Decoder::read_rows() {
  const int passes = png_get_interlace_type(png_, info_) == PNG_INTERLACE_ADAM7 ? PNG_INTERLACE_ADAM7_PASSES : 1;
  const auto width = static_cast<png_uint_32>(picture_->width), height = static_cast<png_uint_32>(picture_->height);
  for (int pass = 0; pass < passes; ++pass) {
    const bool whole = passes == 1;
    const int rows = static_cast<int>(whole ? height : PNG_PASS_ROWS(height, pass));
    const int columns = static_cast<int>(whole ? width : PNG_PASS_COLS(width, pass));
    if (rows == 0 || columns == 0) continue;
    const int first = whole ? 0 : PNG_PASS_START_COL(pass), step = whole ? 1 : 1 << PNG_PASS_COL_SHIFT(pass);
    for (int k = 0; k < rows; ++k) {
      png_read_row(png_, row_.data(), nullptr);
      const int row = whole ? k : static_cast<int>(PNG_ROW_FROM_PASS_ROW(k, pass));
      depth_ == 16 ? place_row<2>(row, first, step, columns) : place_row<1>(row, first, step, columns);
    }
  }
  png_read_end(png_, nullptr);
}

/// Converts the `count` pixels just read and stores them in columns first, first + step, ... of `row`.
template <int bytes_a_sample>
void Decoder::place_row(int row, int first, int step, int count) {
  const bool palette = colours_ > 0, alpha = channels_ % 2 == 0;
  const std::size_t pixels = picture_->pixels();
  const unsigned char* at = row_.data();
  float* to = picture_->pixel.data() + static_cast<std::size_t>(row) * picture_->width + first;
  for (int k = 0; k < count; ++k, at += channels_ * bytes_a_sample, to += step) {
    if (palette && at[0] >= colours_) png_error(png_, "a pixel has a colour that is not in the palette");
    double direct[3] = {}, opaque = 1;
    if (!palette) put_channels<bytes_a_sample>(at, channels_ >= 3, params_.colour, direct);
    const double* channel = palette ? palette_[at[0]] : direct;
    if (palette) opaque = palette_opaque_[at[0]];
    if (alpha) opaque = opacity_of<bytes_a_sample>(at + (channels_ - 1) * bytes_a_sample);
    transparent_ = transparent_ || opaque < 1;
    for (int c = 0; c < picture_->channels; ++c) {
      to[c * pixels] = static_cast<float>(opaque * channel[c] + (1 - opaque) * params_.background);
    }
  }
}

void Decoder::run(Picture& picture) {
  picture_ = &picture;
  guarded<&Decoder::read_header>();
  row_.resize(png_get_rowbytes(png_, info_));
  if (coloured() && params_.colour == Colour::kept) picture.channels = 3;
  picture.pixel.resize(picture.pixels() * picture.channels);
  guarded<&Decoder::read_rows>();
}

/// "8-bit RGB with alpha, interlaced".
std::string format_of(const PngHeader& header) {
  std::string kind = "grey";
  if (header.colour_type == PNG_COLOR_TYPE_PALETTE) kind = "palette";
  if (header.colour_type == PNG_COLOR_TYPE_RGB || header.colour_type == PNG_COLOR_TYPE_RGB_ALPHA) kind = "RGB";
  if ((header.colour_type & PNG_COLOR_MASK_ALPHA) != 0) kind += " with alpha";
  return text(header.depth, "-bit ", kind, header.interlaced ? ", interlaced" : "");
}

std::string ground_text(float background) {
  if (background == 0) return "black";
  return background == 255 ? "white" : text("grey ", background);
}

}  // namespace

Picture parse_png(std::span<const std::byte> bytes, const std::string& name, const DecodeParams& params) {
  const PngHeader header = look_at_png(bytes, name);
  Picture picture{static_cast<int>(header.width), static_cast<int>(header.height)};
  Decoder decoder(bytes, name, params);
  decoder.run(picture);
  picture.made = text(header.width, "x", header.height, ", ", format_of(header));
  if (header.animated) picture.made += " -> its still picture (it is animated)";
  if (!header.ignored.empty()) picture.made += text(" -> ", header.ignored, " ignored");
  if (decoder.transparent()) picture.made += text(" -> on ", ground_text(params.background));
  if (decoder.coloured() && picture.channels == 1) picture.made += " -> grey (BT.601)";
  return picture;
}

}  // namespace krossfold::input
