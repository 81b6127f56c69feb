// A small vault of memories with its ledger, as a file of JSON lines; what checks of the memory
// layer begin with.
#pragma once

namespace plexus::testing {

inline constexpr char kVault[] =
    R"({"node":"m1","kind":"memory","text":"The settlement queue replays payouts when the oracle restarts.","tags":["project:vestige","settlement","queue"],"retention":0.8,"created_at":1700000000001})"
    "\n"
    R"({"node":"m2","kind":"decision","text":"Pause payouts until the oracle restarts cleanly.","tags":["project:vestige","pause","oracle"],"retention":0.6,"created_at":1700000000002})"
    "\n"
    R"({"node":"m3","kind":"memory","text":"Accounting rounds settlement fees down.","tags":["project:vestige","accounting"],"retention":0.5,"created_at":1700000000003})"
    "\n"
    R"({"node":"m4","kind":"memory","text":"Keeper rotation needs an upgrade window.","tags":["upgrade"],"retention":0.1,"created_at":1700000000004})"
    "\n"
    R"({"node":"m5","kind":"concept","text":"Rounds of keeper rotation.","retention":0.5,"created_at":1700000000005})"
    "\n"
    R"({"node":"m6","kind":"memory","text":"The queue never replays payouts.","tags":["settlement","queue"],"retention":0.9,"created_at":1700000000006})"
    "\n"
    R"({"node":"m7","kind":"memory","text":"Settlement fees were rounded upwards.","tags":["accounting","settlement"],"retention":0.9,"created_at":1700000000007,"valid_until":1700000000100})"
    "\n"
    R"({"edge":["m1","m6"],"kind":"supersedes"})"
    "\n"
    R"({"event":"c1","tool":"deep_reference","query":"why twice","created_at":1700000010000,"members":[{"id":"m1","role":"primary","rank":0,"trust":0.8,"score":0.9},{"id":"m3","role":"supporting","rank":1},{"id":"m1","role":"related","rank":2}]})"
    "\n"
    R"({"event":"c2","tool":"bounty","query":"what when paused","created_at":1700000020000,"members":[{"id":"m2","role":"primary","rank":0},{"id":"m4","role":"supporting","rank":1}]})"
    "\n"
    R"({"event":"c3","tool":"deep_reference","query":"upgrade and queue","created_at":1700000030000,"members":[{"id":"m1","role":"primary","rank":0},{"id":"m4","role":"contradicting","rank":1}]})"
    "\n"
    R"({"event":"c4","tool":"deep_reference","query":"rounding and upgrades","created_at":1700000040000,"members":[{"id":"m4","role":"supporting","rank":1},{"id":"m3","role":"primary","rank":0}]})"
    "\n"
    R"({"outcome":"c1","type":"helpful","source":"user","labeled_at":1700000011000})"
    "\n"
    R"({"outcome":"c1","type":"duplicate_risk","source":"user","labeled_at":1700000012000})"
    "\n"
    R"({"outcome":"c2","type":"dead_end","source":"user","labeled_at":1700000021000})"
    "\n"
    R"({"outcome":"c3","type":"needs_poc","source":"tool","labeled_at":1700000031000})"
    "\n";

}  // namespace plexus::testing
