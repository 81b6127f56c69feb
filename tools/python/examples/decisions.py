"""A graph service of decisions: what a store over NetworkX does, durable, with its history.

    python decisions.py DIRECTORY
"""

import sys

import plexus


class DecisionGraph:
    def __init__(self, directory):
        self.graph = plexus.open(directory)

    def add_decision(self, key, text, **properties):
        return self.graph.import_records([{"node": key, "kind": "decision", "text": text,
                                           **properties}])

    def link_decisions(self, source, target, edge_type, **more):
        return self.graph.link(source, edge_type, target, **more)

    def unlink_decisions(self, source, target):
        return self.graph.decisions.unlink(source, target)

    def get_graph(self, key, hops=2, edge_types=None):
        return self.graph.neighborhood([key], hops=hops, kinds=edge_types)

    def find_path(self, source, target):
        return self.graph.path(source, target, direction="both")["paths"]

    def get_ancestors(self, key):
        return self.graph.decisions.ancestors(key)["results"]

    def get_descendants(self, key):
        return self.graph.decisions.descendants(key)["results"]

    def find_contradictions(self):
        return self.graph.decisions.contradictions()["conflicts"]

    def get_blocked_chain(self, key):
        return self.graph.decisions.blocked(keys=[key])["blocked"]

    def compute_salience(self, top=10):
        return self.graph.decisions.salience(apply=True, top=top)["nodes"]


def main(directory):
    decisions = DecisionGraph(directory)
    with decisions.graph:
        decisions.add_decision("storage", "Keep the log in RocksDB", stakes="high")
        decisions.add_decision("writer", "One process writes")
        decisions.add_decision("readers", "Readers take snapshots")
        decisions.add_decision("locks", "Readers take locks")
        decisions.link_decisions("writer", "storage", "depends_on")
        decisions.link_decisions("readers", "writer", "depends_on", weight="0.8")
        decisions.link_decisions("locks", "readers", "contradicts")
        print("ancestors", [found["key"] for found in decisions.get_ancestors("readers")])
        print("descendants", [found["key"] for found in decisions.get_descendants("storage")])
        print("contradictions", len(decisions.find_contradictions()))
        print("paths", len(decisions.find_path("locks", "storage")))
        print("blocked", [found["key"] for found in decisions.get_blocked_chain("readers")])
        print("salience", decisions.compute_salience()[0]["key"])
        print("nodes", len(decisions.get_graph("readers")["nodes"]))


if __name__ == "__main__":
    main(sys.argv[1])
