"""peer_networkx: NetworkX, pure Python; its PageRank and HITS use SciPy where there is one.

The frame is peer.h's: networkx_peer.py WORK FOLDER ANSWER|- TRIALS reads raw arrays, prints
"key: value" lines and writes an array of f64. One thread. Graphs are a DiGraph with both
arcs of an edge, or for works about undirected graphs a Graph; loops are left out.
"""
import array
import math
import sys
import time

import networkx as nx

DAMPING, TRUE_ERROR, HARD = 0.85, 1e-6, 1e-9


class Peer:
    def __init__(self):
        if len(sys.argv) != 5:
            sys.exit("usage: networkx_peer.py WORK FOLDER ANSWER|- TRIALS")
        self.work, self.folder, self.answer, trials = sys.argv[1:]
        self.trials = int(trials)
        print(f"version: NetworkX {nx.__version__}, Python {sys.version.split()[0]}, {scipy_version()}")

    def read(self, name):
        values = array.array({"u32": "I", "f32": "f", "u8": "B"}[name.split(".")[-1]])
        with open(f"{self.folder}/{name}", "rb") as file:
            values.frombytes(file.read())
        return values

    def load(self, make):
        start = time.perf_counter()
        made = make()
        print(f"load: {time.perf_counter() - start:.6f}")
        return made

    def run(self, work, note):
        for trial in range(self.trials):
            start = time.perf_counter()
            answer = work()
            print(f"time: {time.perf_counter() - start:.9f}", flush=True)
            if trial == 0 and self.answer != "-":
                with open(self.answer, "wb") as file:
                    array.array("d", answer).tofile(file)
        print(f"note: {note}, 1 thread")


def scipy_version():
    try:
        import scipy.sparse.linalg  # here, so that no first trial waits for it
        return f"SciPy {scipy.__version__}"
    except ImportError:
        return "no SciPy"


def pair_weight(a, b):
    """connectivity.h: 1/1024 to 1 by a hash of the pair, the same both ways."""
    mask = (1 << 64) - 1
    h = ((min(a, b) << 32 | max(a, b)) * 0x9E3779B97F4A7C15) & mask
    h ^= h >> 32
    h = (h * 0xD6E8FEB86659FD93) & mask
    return (1 + (h >> 54)) / 1024


def read_arcs(peer):
    arcs = [(u, v) for u, v in zip(peer.read("sources.u32"), peer.read("targets.u32")) if u != v]
    return peer.read("nodes.u32")[0], arcs


def make_graph(nodes, arcs, directed, weighted):
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(nodes))
    if weighted:
        graph.add_weighted_edges_from((u, v, pair_weight(u, v)) for u, v in arcs)
    else:
        graph.add_edges_from(arcs if directed else ((u, v) for u, v in arcs if u < v))
    return graph


def rows(nodes, arcs):
    offsets = [0] * (nodes + 1)
    for u, _ in arcs:
        offsets[u + 1] += 1
    for v in range(nodes):
        offsets[v + 1] += offsets[v]
    return offsets


def katz_alpha(nodes, arcs):
    """centrality.h: KatzAlpha."""
    offsets, sums = rows(nodes, arcs), [0] * nodes
    for u, v in arcs:
        sums[u] += offsets[v + 1] - offsets[v]
    return 0.85 / math.sqrt(max(max(sums), 1))


def similarity_pairs(nodes, arcs):
    """centrality.h: SimilarityPairs."""
    offsets, pairs = rows(nodes, arcs), []
    for i in range(10000):
        middle, a = arcs[i * 2654435761 % len(arcs)]
        b = arcs[offsets[middle] + i * 40503 % (offsets[middle + 1] - offsets[middle])][1]
        if a != b:
            pairs.append((a, b))
    return pairs


def by_node(graph, scores, total=None):
    """Scores by node, divided by their sum if total is asked for."""
    answer = [scores[v] for v in range(len(graph))]
    whole = sum(answer) if total else 1
    return [score / whole for score in answer]


def page_rank(graph, weight):
    tolerance = TRUE_ERROR * (1 - DAMPING) / DAMPING / len(graph)  # theirs is multiplied by n
    return by_node(graph, nx.pagerank(graph, DAMPING, tol=tolerance, max_iter=1000, weight=weight))


def closeness(peer, graph):
    """Harmonic by its sources, one search a start; by its targets it would search from every node."""
    answer = []
    for start in peer.read("starts.u32"):
        answer.append(nx.closeness_centrality(graph, start, wf_improved=False))
        answer.append(sum(nx.harmonic_centrality(graph, sources=[start]).values()))
    return answer


def hits(graph):
    hubs, authorities = nx.hits(graph, max_iter=10000, tol=HARD)
    return by_node(graph, hubs, total=True) + by_node(graph, authorities, total=True)


def labels(nodes, sets):
    answer = [0] * nodes
    for label, members in enumerate(sets):
        for v in members:
            answer[v] = label
    return answer


def overlap(graph, pairs):
    return [(a, b, len(list(nx.common_neighbors(graph, a, b))) / min(len(graph[a]), len(graph[b]))) for a, b in pairs]


PAIRS = {"jaccard": nx.jaccard_coefficient, "resource": nx.resource_allocation_index,
         "adamic": nx.adamic_adar_index, "overlap": overlap}


def pairs_work(peer, graph, nodes, arcs):
    pairs, measure = similarity_pairs(nodes, arcs), PAIRS[peer.work]
    note = "common_neighbors, lengths divided" if peer.work == "overlap" else measure.__name__
    peer.run(lambda: [score for _, _, score in measure(graph, pairs)], note)


def main():
    peer = Peer()
    nodes, arcs = read_arcs(peer)
    directed = peer.work in ("pagerank", "weighted-pagerank", "katz", "hits", "strong")
    graph = peer.load(lambda: make_graph(nodes, arcs, directed, peer.work.startswith("weighted")))
    stop = "stops as ours"
    works = {
        "pagerank": lambda: peer.run(lambda: page_rank(graph, None), f"pagerank (SciPy), {stop}"),
        "weighted-pagerank": lambda: peer.run(lambda: page_rank(graph, "weight"), f"pagerank (SciPy), {stop}"),
        "katz": lambda: katz(peer, graph, katz_alpha(nodes, arcs)),
        "eigenvector": lambda: peer.run(
            lambda: by_node(graph, nx.eigenvector_centrality(graph, 10000, HARD / nodes), total=True),
            "eigenvector_centrality, undirected, to a step of 1e-9"),
        "hits": lambda: peer.run(lambda: hits(graph), "hits (SciPy's svds)"),
        "closeness": lambda: peer.run(lambda: closeness(peer, graph), "closeness_centrality and harmonic_centrality"),
        "triangles": lambda: peer.run(lambda: [sum(nx.triangles(graph).values()) / 3], "triangles"),
        "clustering": lambda: peer.run(lambda: by_node(graph, nx.clustering(graph)), "clustering"),
        "kcore": lambda: peer.run(lambda: by_node(graph, nx.core_number(graph)), "core_number"),
        "components": lambda: peer.run(lambda: labels(nodes, nx.connected_components(graph)), "connected_components"),
        "strong": lambda: peer.run(lambda: labels(nodes, nx.strongly_connected_components(graph)),
                                   "strongly_connected_components"),
    }
    if peer.work in PAIRS:
        pairs_work(peer, graph, nodes, arcs)
    elif peer.work in works:
        works[peer.work]()
    else:
        sys.exit(f"peer: this program has no work named {peer.work}")


def katz(peer, graph, alpha):
    peer.run(lambda: by_node(graph, nx.katz_centrality(graph, alpha, tol=1e-8, normalized=False), total=True),
             "katz_centrality, to a mean step of 1e-8")


if __name__ == "__main__":
    main()
