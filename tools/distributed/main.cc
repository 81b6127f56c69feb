// plexus-dist: a job over the parts of one or more graphs, on a square number of ranks under
// mpirun. Rank 0 speaks and writes; nothing is at the result's name before the job is done.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

#include <CLI/CLI.hpp>

#include "tools/distributed/jobs.h"

namespace plexus::distributed {
namespace {

constexpr std::size_t kMostRestarts = 16;
constexpr std::size_t kMostPairs = 1 << 20;

constexpr char kExamples[] =
    "Examples:\n"
    "  plexus export --db g --format csr-parts -o g.parts --ids alice\n"
    "  mpirun -np 4 plexus-dist pagerank --parts g.parts --out g.rank\n"
    "  plexus import --db g --column rank g.rank\n"
    "  mpirun -np 4 plexus-dist personalised --parts g.parts --out g.near --restart 17=2,18 "
    "--restart 40\n"
    "  mpirun -np 9 plexus-dist components --parts a.parts,b.parts --out a.comp,b.comp\n"
    "  mpirun -np 4 plexus-dist khop --parts a.parts,b.parts --out a.hops,b.hops --seed 1:17 "
    "--hops 3\n"
    "  mpirun -np 4 plexus-dist common --parts g.parts --out counts.tsv --pairs pairs.txt\n\n"
    "A node is [PART:]ID: the number of its part in --parts, from 0 on (0 without it), and its id\n"
    "there, which plexus export --ids says. The number of ranks is a square. Exit codes: 0 done,\n"
    "1 failed, 2 wrong usage, 4 a damaged part.\n";

struct Options {
  std::string job;
  std::vector<std::string> parts, out, restarts, seeds;
  std::string pairs, direction;
  RankOptions rank;
  std::uint64_t hops = std::numeric_limits<std::uint32_t>::max() - 1;
  std::uint64_t max_degree = 10'000;
  bool quiet = false;

  Direction way() const {
    return direction == "in"     ? Direction::kIn
           : direction == "both" ? Direction::kBoth
                                 : Direction::kOut;
  }
};

void Declare(CLI::App& app, Options& options) {
  app.footer(kExamples);
  app.add_option("job", options.job, "pagerank, personalised, components, khop or common")
      ->required()
      ->check(CLI::IsMember({"pagerank", "personalised", "components", "khop", "common"}));
  app.add_option("--parts", options.parts, "files of plexus export --format csr-parts")
      ->required()
      ->delimiter(',');
  app.add_option("--out", options.out, "a result for each part; of common one table")
      ->required()
      ->delimiter(',');
  app.add_option("--damping", options.rank.damping, "pagerank, personalised")
      ->check(CLI::Range(0.0, 0.999999))
      ->capture_default_str();
  app.add_option("--tolerance", options.rank.tolerance, "largest L1 distance to the fixed point")
      ->check(CLI::Range(1e-14, 1.0))
      ->capture_default_str();
  app.add_option("--iterations", options.rank.iterations, "exactly so many, instead of a tolerance")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--restart", options.restarts,
                 "personalised: NODE[=W][,NODE[=W]...], up to 16 of "
                 "them, each an array of the result");
  app.add_option("--seed", options.seeds, "khop: begin at this node; repeatable")->delimiter(',');
  app.add_option("--hops", options.hops, "khop: at most so many (default: no limit)");
  app.add_option("--direction", options.direction, "khop, common: out (default), in or both")
      ->check(CLI::IsMember({"out", "in", "both"}));
  app.add_option("--pairs", options.pairs, "common: a file of two nodes a line");
  app.add_option("--max-degree", options.max_degree,
                 "common: leave out what more nodes than that are next to")
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "no progress");
}

Status Check(const Options& options) {
  const bool common = options.job == "common", personal = options.job == "personalised";
  if (options.out.size() != (common ? 1 : options.parts.size()))
    return Invalid(common ? "--out names one table" : "--out names one file for each of --parts");
  auto names = options.out;
  std::ranges::sort(names);
  if (std::ranges::adjacent_find(names) != names.end()) return Invalid("--out names a file twice");
  if (personal != !options.restarts.empty() || options.restarts.size() > kMostRestarts)
    return Invalid("--restart goes with personalised, 1 to 16 times");
  if ((options.job == "khop") != !options.seeds.empty())
    return Invalid("--seed goes with khop, which needs one");
  if (common != !options.pairs.empty()) return Invalid("--pairs goes with common, which needs it");
  return {};
}

Result<std::vector<Seed>> ParseSeeds(Parts& parts, const std::vector<std::string>& texts) {
  std::vector<Seed> seeds;
  double sum = 0;
  for (const std::string& text : texts) {
    PLEXUS_ASSIGN(const Seed seed, parts.ParseSeed(text));
    seeds.push_back(seed);
    sum += seed.weight;
  }
  if (!(sum > 0) || !std::isfinite(sum)) return Invalid("weights of seeds that sum to nothing");
  return seeds;
}

Result<std::vector<std::pair<std::uint64_t, std::uint64_t>>> ReadPairs(Parts& parts,
                                                                       const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound(path, ": cannot be read");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string a, b, more;
    const std::string where = path + ":" + std::to_string(number) + ": ";
    if (!(words >> a >> b) || words >> more) return Invalid(where, "is not two nodes");
    const auto one = parts.ParseSeed(a), other = parts.ParseSeed(b);
    if (!one || !other) return Invalid(where, (one ? other : one).error().message);
    if (pairs.size() == kMostPairs) return Invalid(where, "more than ", kMostPairs, " pairs");
    pairs.emplace_back(one->node, other->node);
  }
  return pairs;
}

// Files under temporary names, at rank 0, renamed together once all are whole.
class Output {
 public:
  explicit Output(const std::vector<std::string>& names) : names_(names) {}
  Output(const Output&) = delete;
  ~Output() {
    for (std::size_t i = renamed_; i < names_.size(); ++i)
      if (Rank() == 0) std::remove(Temporary(i).c_str());
  }
  // Before the work: whether something can be written there.
  Status CheckFolders() const {
    for (const std::string& name : names_) {
      const std::string folder = std::filesystem::path(name).parent_path();
      if (Rank() == 0 && access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        return IoError(name, ": ", std::strerror(errno));
    }
    return {};
  }
  std::ofstream Open(std::size_t i) const {
    if (Rank() != 0) return {};
    return std::ofstream(Temporary(i), std::ios::binary | std::ios::trunc);
  }
  Status Rename() {
    for (; Rank() == 0 && renamed_ < names_.size(); ++renamed_)
      if (std::rename(Temporary(renamed_).c_str(), names_[renamed_].c_str()) != 0)
        return IoError(names_[renamed_], ": cannot be written");
    return {};
  }

 private:
  std::string Temporary(std::size_t i) const {
    return names_[i] + ".part" + std::to_string(getpid());
  }
  const std::vector<std::string>& names_;
  std::size_t renamed_ = 0;
};

// The arrays of each part to its file.
template <class T>
Status WriteArrays(const Parts& parts, const Options& options, Output& output,
                   const std::vector<Local<T>>& arrays) {
  for (std::size_t part = 0; part < parts.size(); ++part) {
    formats::ArrayHeader header = parts.header(part);
    header.kind = sizeof(T) == 8 ? formats::ArrayKind::kF64 : formats::ArrayKind::kU32;
    header.count = arrays.size();
    header.job = options.job;
    std::ofstream file = output.Open(part);
    formats::ArrayWriter writer(file, header);
    Status status;
    for (const Local<T>& array : arrays) {
      const std::uint64_t first = parts.offset(part);
      const Status collected = Collect<T>(
          array, first, first + header.nodes,
          [&](std::span<const T> some) { return writer.Put(some.data(), some.size_bytes()); });
      if (status) status = collected;
    }
    if (Rank() == 0 && status) status = writer.EndSection();
    if (Rank() == 0 && status) status = writer.Finish();
    if (!status) status = IoError(options.out[part], ": ", status.error().message);
    PLEXUS_TRY(Agree(status));
  }
  return {};
}

Status WriteTable(const Options& options, const Output& output,
                  const std::vector<std::uint64_t>& counts) {
  std::ifstream pairs(options.pairs);
  std::ofstream file = output.Open(0);
  std::string a, b;
  for (std::size_t i = 0; i < counts.size() && Rank() == 0; ++i) {
    pairs >> a >> b;
    file << a << '\t' << b << '\t' << counts[i] << '\n';
  }
  file.close();
  if (Rank() == 0 && !file) return IoError(options.out[0], ": cannot be written");
  return {};
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Status Run(const Options& options) {
  const double begun = Now();
  const Say say = [&](const std::string& text) {
    if (Rank() == 0 && !options.quiet)
      std::fprintf(stderr, "plexus-dist: %6.1f s  %s\n", Now() - begun, text.c_str());
  };
  Result<Parts> opened = Parts::Open(options.parts);
  PLEXUS_TRY(Agree(opened ? Status() : std::unexpected(opened.error())));
  Parts& parts = *opened;
  say(std::to_string(parts.selected()) + " nodes, " + std::to_string(parts.arcs()) + " arcs on " +
      std::to_string(RankCount()) + " ranks");
  if (parts.selected() == 0) return Invalid("the parts hold no node");
  Output output(options.out);
  PLEXUS_TRY(Agree(output.CheckFolders()));
  std::string about;
  if (options.job == "pagerank" || options.job == "personalised") {
    std::vector<std::vector<Seed>> restarts;
    Status parsed;
    for (const std::string& text : options.restarts) {
      auto seeds = ParseSeeds(parts, CLI::detail::split(text, ','));
      if (!seeds) parsed = std::unexpected(seeds.error());
      if (seeds) restarts.push_back(*std::move(seeds));
    }
    PLEXUS_TRY(Agree(parsed));
    PLEXUS_ASSIGN(const RankResult ranked, PageRank(parts, restarts, options.rank, say));
    PLEXUS_TRY(WriteArrays(parts, options, output, ranked.scores));
    std::ostringstream json;
    json << ",\"iterations\":" << ranked.iterations << ",\"error\":" << ranked.error;
    about = json.str();
  } else if (options.job == "common") {
    const auto pairs = ReadPairs(parts, options.pairs);
    PLEXUS_TRY(Agree(pairs ? Status() : std::unexpected(pairs.error())));
    if (pairs->empty()) return Invalid(options.pairs, ": holds no pair");
    PLEXUS_ASSIGN(const auto counts, Common(parts, *pairs, options.way(), options.max_degree, say));
    PLEXUS_TRY(Agree(WriteTable(options, output, counts)));
  } else {
    std::vector<Seed> seeds;
    if (options.job == "khop") {
      const auto parsed = ParseSeeds(parts, options.seeds);
      PLEXUS_TRY(Agree(parsed ? Status() : std::unexpected(parsed.error())));
      seeds = *parsed;
    }
    PLEXUS_ASSIGN(Local<std::uint32_t> values,
                  seeds.empty() ? Components(parts, say)
                                : KHop(parts, seeds, options.way(), options.hops, say));
    PLEXUS_TRY(WriteArrays<std::uint32_t>(parts, options, output, {std::move(values)}));
  }
  PLEXUS_TRY(Agree(output.Rename()));
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto kilobytes = static_cast<std::uint64_t>(usage.ru_maxrss);
  const std::uint64_t most = OfRanks(MPI_MAX, kilobytes), all = OfRanks(MPI_SUM, kilobytes);
  if (Rank() == 0)
    std::cout << "{\"job\":\"" << options.job << "\",\"ranks\":" << RankCount()
              << ",\"nodes\":" << parts.selected() << ",\"arcs\":" << parts.arcs() << about
              << ",\"seconds\":" << Now() - begun << ",\"rank_bytes\":" << most * 1024
              << ",\"bytes\":" << all * 1024 << "}" << std::endl;
  return {};
}

int Main(int argc, char** argv) {
  CLI::App app("Jobs over graphs that do not fit one machine, on Open MPI", "plexus-dist");
  Options options;
  Declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err) == 0 ? 0 : 2;
    if (Rank() == 0) std::cout << out.str() << std::flush;
    if (Rank() == 0) std::cerr << err.str();
    return code;
  }
  const auto side = static_cast<int>(std::lround(std::sqrt(RankCount())));
  Status status = Check(options);
  if (status && side * side != RankCount())
    status = Invalid(
        "the matrix lies on a square of ranks, so their number is 1, 4, 9, 16 ...; "
        "there are ",
        RankCount());
  const bool usage = !status;
  if (status) status = Run(options);
  if (status) return 0;
  if (Rank() == 0)
    std::cerr << "plexus-dist: " << status.error().message << "; all " << RankCount()
              << " ranks stop and nothing is written\n";
  return status.error().code == ErrorCode::kCorruption ? 4 : usage ? 2 : 1;
}

}  // namespace
}  // namespace plexus::distributed

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int code = 1;
  try {
    code = plexus::distributed::Main(argc, argv);
  } catch (const std::exception& error) {  // no memory: the others wait, so all end
    std::cerr << "plexus-dist: rank " << plexus::distributed::Rank() << ": " << error.what()
              << "\n";
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
