// What is read takes at most a stated multiple of its bytes, however it is written. A program of
// its own: it replaces operator new.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/parallel.h"
#include "engine/properties/properties.h"
#include "storage/formats/import.h"
#include "storage/formats/import_vectors.h"
#include "tests/tools/limits/counted_memory.h"
#include "tools/operations/limits.h"
#include "tools/operations/memory/guardrail_rules.h"
#include "tools/operations/registry.h"
#include "tools/operations/request_json.h"
#include "tools/operations/retrieve/plan_json.h"

namespace plexus::tools {
namespace {

using testing::CountedMemory;

constexpr std::size_t kBytes = std::size_t{2} << 20;        // about that much is read
constexpr std::uint64_t kBeside = std::uint64_t{24} << 20;  // what each call has, however small

// `line(i)` for i from 0 on, until it is enough.
std::string Repeated(const std::function<std::string(int)>& line, const std::string& between = "") {
  std::string text;
  for (int i = 0; text.size() < kBytes; ++i) text += (i ? between : "") + line(i);
  return text;
}

void ExpectWithin(const std::string& what, std::uint64_t peak, std::size_t bytes,
                  std::uint64_t multiple) {
  EXPECT_LE(peak, multiple * bytes + kBeside)
      << what << ": " << static_cast<double>(peak) / static_cast<double>(bytes) << " times";
}

std::uint64_t PeakOfImport(const std::string& name, const std::string& text, bool& taken) {
  return CountedMemory::PeakOf([&] {
    GraphOptions options;
    options.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(options);
    ImportOptions import;
    import.executor = &SerialExecutor();
    const auto report = ImportBytes(*graph, name, text, import);
    taken = report && !report->stopped;
  });
}

// The shortest records of each format, so that most is made of each byte.
TEST(Memory, Imports) {
  const auto number = [](int i) { return std::to_string(i); };
  const std::pair<std::string, std::string> files[] = {
      {"nodes.jsonl", Repeated([&](int i) { return "{\"node\":\"" + number(i) + "\"}\n"; })},
      {"edges.jsonl", Repeated([&](int i) {
         return "{\"edge\":[\"" + number(i / 9) + "\",\"" + number(i) + "\"],\"kind\":\"a\"}\n";
       })},
      {"props.jsonl", Repeated([&](int i) {
         return "{\"node\":\"" + number(i) + "\",\"props\":{\"a\":[0,1]}}\n";
       })},
      {"edges.csv", "source,kind,target\n" +
                        Repeated([&](int i) { return number(i / 9) + ",a," + number(i) + "\n"; })},
      {"nodes.csv", "id\n" + Repeated([&](int i) { return number(i) + "\n"; })},
      {"edges.el", Repeated([&](int i) { return number(i / 9) + " " + number(i) + "\n"; })},
      {"edges.mtx", "%%MatrixMarket matrix coordinate pattern general\n200000 200000 200000\n" +
                        [&] {
                          std::string lines;
                          for (int i = 1; i <= 200'000; ++i)
                            lines += number(i / 9 + 1) + " " + number(i) + "\n";
                          return lines;
                        }()},
      {"g.graphml",
       "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph "
       "edgedefault=\"directed\">" +
           Repeated([&](int i) { return "<node id=\"" + number(i) + "\"/>"; }) +
           "</graph></graphml>"},
      {"g.node-link.json", "{\"directed\":true,\"nodes\":[" +
                               Repeated([&](int i) { return "{\"id\":" + number(i) + "}"; }, ",") +
                               "],\"edges\":[]}"},
  };
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    bool taken = false;
    const std::uint64_t peak = PeakOfImport(name, text, taken);
    EXPECT_TRUE(taken);
    ExpectWithin(name, peak, text.size(), kMemoryOfImport);
  }
}

// A line of a million values is refused or taken, and costs no more for it.
TEST(Memory, OneLineOfValues) {
  const std::string zeros = Repeated([](int) { return "0"; }, ",");
  for (const std::string& line :
       {"{\"node\":\"a\",\"props\":{\"x\":[" + zeros + "]}}\n", "{\"x\":[" + zeros + "]}\n",
        "{\"vector\":\"a\",\"values\":[" + zeros + "]}\n"}) {
    bool taken = false;
    ExpectWithin("a line", PeakOfImport("a.jsonl", line, taken), line.size(), kMemoryOfImport);
  }
}

TEST(Memory, Vectors) {
  const std::string bytes(kBytes, '\0');
  const std::uint64_t peak = CountedMemory::PeakOf([&] {
    GraphOptions options;
    options.executor = &SerialExecutor();
    const auto graph = Graph::InMemory(options);
    VectorImportOptions vectors;
    vectors.format = VectorFormat::kF32;
    vectors.dimensions = 4;
    ImportOptions import;
    import.executor = &SerialExecutor();
    (void)ImportVectors(*graph, {"v.f32", bytes}, vectors, import);
  });
  ExpectWithin("vectors", peak, bytes.size(), kMemoryOfImport);
}

TEST(Memory, Requests) {
  const std::string keys = Repeated([](int) { return "\"\""; }, ",");
  const std::string zeros = Repeated([](int) { return "0"; }, ",");
  for (const std::string& text :
       {"{\"get\":{\"key\":[" + keys + "]}}", "{\"get\":{\"key\":[" + zeros + "]}}",
        "{\"get\":{" + Repeated([](int i) { return "\"" + std::to_string(i) + "\":0"; }, ",") +
            "}}"}) {
    const std::uint64_t peak = CountedMemory::PeakOf([&] { (void)NamedRequestFromJson(text); });
    ExpectWithin("a request", peak, text.size(), kMemoryOfContent);
  }
}

// Rules and plans are JSON that a request carries.
TEST(Memory, RulesAndPlans) {
  const std::string zeros = "[" + Repeated([](int) { return "0"; }, ",") + "]";
  const Schema schema = Graph::InMemory()->snapshot().schema();
  for (const std::string& text : {zeros, "[{\"name\":" + zeros + "}]"}) {
    ExpectWithin("rules",
                 CountedMemory::PeakOf([&] { (void)ParseGuardrailRules(schema, "rules", text); }),
                 text.size(), kMemoryOfContent);
  }
}

// A stored map is read in its place.
TEST(Memory, PropertyMaps) {
  for (const char fill : {'\0', '\1', '\x24', '\xff'}) {
    const std::string bytes(kBytes, fill);
    const std::uint64_t peak = CountedMemory::PeakOf([&] { (void)PropertyMap::Read(bytes); });
    ExpectWithin("a map", peak, bytes.size(), 2);
  }
}

}  // namespace
}  // namespace plexus::tools
