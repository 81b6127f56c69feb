// Small graphs of memories as JSON lines: what checks of the memory layer begin with.
#pragma once

namespace plexus::testing {

// Memories of a gateway, two of which contradict each other.
inline constexpr char kTyped[] =
    R"({"node":"k1","kind":"memory","text":"Gateway remembers keys for 24 hours","tags":["gateway"]}
{"node":"k2","kind":"memory","text":"Gateway remembers keys for 48 hours","tags":["gateway"]}
)"
    R"({"node":"k3","kind":"memory","text":"Measured: gateway remembers keys for 36 hours",)"
    R"("tags":["gateway"]}
{"node":"o1","kind":"memory","text":"Incident of third March","tags":["incident"]}
{"edge":["k1","k2"],"kind":"contradicts","weight":0.8}
{"edge":["o1","k1"],"kind":"supports","weight":0.7}
{"edge":["k1","o1"],"kind":"causes","weight":0.5}
)";

// A vault with its ledger.
inline constexpr char kVault[] =
    R"({"node":"m1","kind":"memory",)"
    R"("text":"The settlement queue replays payouts when the oracle restarts.",)"
    R"("tags":["project:vestige","settlement","queue"],"retention":0.8,)"
    R"("created_at":1700000000001}
{"node":"m2","kind":"decision",)"
    R"("text":"Pause payouts until the oracle restarts cleanly.","tags":["project:vestige",)"
    R"("pause","oracle"],"retention":0.6,"created_at":1700000000002}
{"node":"m3","kind":"memory","text":"Accounting rounds settlement fees down.",)"
    R"("tags":["project:vestige","accounting"],"retention":0.5,"created_at":1700000000003}
{"node":"m4","kind":"memory","text":"Keeper rotation needs an upgrade window.",)"
    R"("tags":["upgrade"],"retention":0.1,"created_at":1700000000004}
{"node":"m5","kind":"concept","text":"Rounds of keeper rotation.","retention":0.5,)"
    R"("created_at":1700000000005}
{"node":"m6","kind":"memory","text":"The queue never replays payouts.",)"
    R"("tags":["settlement","queue"],"retention":0.9,"created_at":1700000000006}
{"node":"m7","kind":"memory","text":"Settlement fees were rounded upwards.",)"
    R"("tags":["accounting","settlement"],"retention":0.9,"created_at":1700000000007,)"
    R"("valid_until":1700000000100}
{"edge":["m1","m6"],"kind":"supersedes"}
{"event":"c1","tool":"deep_reference","query":"why twice","created_at":1700000010000,)"
    R"("members":[{"id":"m1","role":"primary","rank":0,"trust":0.8,"score":0.9},{"id":"m3",)"
    R"("role":"supporting","rank":1},{"id":"m1","role":"related","rank":2}]}
{"event":"c2","tool":"bounty","query":"what when paused","created_at":1700000020000,)"
    R"("members":[{"id":"m2","role":"primary","rank":0},{"id":"m4","role":"supporting",)"
    R"("rank":1}]}
{"event":"c3","tool":"deep_reference","query":"upgrade and queue",)"
    R"("created_at":1700000030000,"members":[{"id":"m1","role":"primary","rank":0},{"id":"m4",)"
    R"("role":"contradicting","rank":1}]}
{"event":"c4","tool":"deep_reference","query":"rounding and upgrades",)"
    R"("created_at":1700000040000,"members":[{"id":"m4","role":"supporting","rank":1},)"
    R"({"id":"m3","role":"primary","rank":0}]}
{"outcome":"c1","type":"helpful","source":"user","labeled_at":1700000011000}
{"outcome":"c1","type":"duplicate_risk","source":"user","labeled_at":1700000012000}
{"outcome":"c2","type":"dead_end","source":"user","labeled_at":1700000021000}
{"outcome":"c3","type":"needs_poc","source":"tool","labeled_at":1700000031000}
)";

}  // namespace plexus::testing
