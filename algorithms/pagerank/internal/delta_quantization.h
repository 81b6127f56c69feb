// ChangeCodes: changes of contributions in eight bits, a sign and the first bits of a
// floating-point number: four steps an octave, 31 octaves.
//
// What is gathered from anywhere has to be small: a million bytes stay in the second-level cache
// where four million do not. A code says what it says exactly, so whoever sends one knows what
// it kept back, at most an eighth and on average a twenty-fifth, and sends that along later.
//
// A key is the exponent and the first two bits of the mantissa as Real has them; a code is a key
// less a base, at most 127, above the sign. 0: no change. Four numbers at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace plexus::pagerank_internal {

template <class Real>
struct ChangeCodes {
  using Key = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  using Reals [[gnu::vector_size(4 * sizeof(Real))]] = Real;
  using Keys [[gnu::vector_size(4 * sizeof(Real))]] = Key;
  static constexpr int kShift = std::numeric_limits<Real>::digits - 1 - 2;
  static constexpr Key kNoSign = std::numeric_limits<Key>::max(), kTop = 127;

  static Real Value(Key key) { return std::bit_cast<Real>(key << kShift); }

  // The codes nearest to `values`, and what they say. Too small: 0; too large: the largest.
  static void Encode(const Reals& values, Key base, std::uint8_t* codes, Reals& quantized) {
    Keys code, signs;
    Nearest(values, code, signs);
    code -= base;
    code = code > kTop ? Keys{} + kTop : code;
    const Keys some = code > 0;
    code &= some;
    quantized = reinterpret_cast<Reals>((((code + base) & some) << kShift) | (signs & some));
    code |= signs < 0 ? Keys{} + 128 : Keys{};
    for (int i = 0; i < 4; ++i) codes[i] = static_cast<std::uint8_t>(code[i]);
  }
  // Keys, with a sign, of changes near `values` by which `told` becomes another number without
  // rounding.
  static void Difference(const Reals& accumulated, const Reals& values, Keys& keys,
                         Reals& quantized) {
    Keys signs;
    Nearest(values, keys, signs);
    quantized = (accumulated + reinterpret_cast<Reals>((keys << kShift) | signs)) - accumulated;
    const Keys is_key = (reinterpret_cast<Keys>(quantized) & ((Key{1} << kShift) - 1)) == 0;
    // What the addition loses (Knuth's two-sum).
    const Reals now = accumulated + quantized, added = now - accumulated,
                lost = (accumulated - (now - added)) + (quantized - added);
    quantized = reinterpret_cast<Reals>(reinterpret_cast<Keys>(quantized) & is_key & (lost == 0));
    Nearest(quantized, keys, signs);
    const Keys minus = signs < 0;
    keys = (keys ^ minus) - minus;
  }
  // What all codes say.
  static std::array<double, 256> Table(Key base) {
    std::array<double, 256> table{};
    for (Key code = 1; code <= kTop; ++code) {
      table[static_cast<std::size_t>(code)] = static_cast<double>(Value(code + base));
      table[static_cast<std::size_t>(code) + 128] = -table[static_cast<std::size_t>(code)];
    }
    return table;
  }

 private:
  static void Nearest(const Reals& values, Keys& keys, Keys& signs) {
    const Keys bits = reinterpret_cast<Keys>(values), size = bits & kNoSign;
    keys = (size + (Key{1} << (kShift - 1))) >> kShift;
    signs = bits ^ size;
  }
};

}  // namespace plexus::pagerank_internal
