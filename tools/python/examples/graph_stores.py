"""Graph stores of other frameworks as thin classes, without the frameworks.

    python graph_stores.py DIRECTORY

PropertyGraph has the methods of LangChain's graph stores, TripletStore those of LlamaIndex's: they
are handed to whatever expects one.
"""

import sys

import plexus


class PropertyGraph:
    """add_graph_documents takes objects with `nodes` (id, type, properties) and `relationships`
    (source, target, type, properties)."""

    def __init__(self, graph):
        self.graph = graph

    def add_graph_documents(self, documents, include_source=False):
        records = []
        for document in documents:
            for node in document.nodes:
                records.append({"node": str(node.id), "kind": node.type, **node.properties})
            for edge in document.relationships:
                records.append({"edge": [str(edge.source.id), str(edge.target.id)],
                                "kind": edge.type, **edge.properties})
        return self.graph.import_records(records)

    def query(self, words, params=None):
        return self.graph.find(words, **(params or {}))["results"]

    @property
    def get_structured_schema(self):
        return self.graph.kinds()


class TripletStore:
    """Triplets (subject, relation, object)."""

    def __init__(self, graph):
        self.graph = graph

    def upsert_triplet(self, subject, relation, target):
        self.graph.link(subject, relation, target)

    def delete(self, subject, relation, target):
        self.graph.unlink(subject, relation, target)

    def get(self, subject):
        """[relation, object] of each edge that leaves the subject."""
        around = self.graph.neighbors(subject, direction="out")
        return [[edge["kind"], edge["key"]] for edge in around["neighbors"]]

    def get_rel_map(self, subjects, depth=2):
        """What can be reached from each subject, as paths of edges."""
        found = {}
        for subject in subjects:
            edges = self.graph.neighborhood([subject], hops=depth)["edges"]
            found[subject] = [[e["source"], e["kind"], e["target"]] for e in edges]
        return found


def main(directory):
    with plexus.open(directory) as graph:
        store = TripletStore(graph)
        store.upsert_triplet("engine", "part_of", "plexus")
        store.upsert_triplet("storage", "depends_on", "engine")
        store.delete("storage", "depends_on", "engine")
        store.upsert_triplet("storage", "depends_on", "engine")
        print(store.get("storage"), store.get_rel_map(["storage"]))


if __name__ == "__main__":
    main(sys.argv[1])
