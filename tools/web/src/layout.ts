// Places: ForceAtlas2 in a worker up to 3,000 nodes, with those that have a place kept there; above,
// those of the server. A radial tree, which takes one pass, is for a page without one or the other.
import type { Source } from './types';
import { kMostForced, type ShownEdge, type ShownNode, type View } from './view';

const kPerNode = 10;

export class Layout {
  onMoves: (moves: boolean) => void = () => {};
  private worker: Worker | null = null;

  constructor(private readonly view: View) {}

  // `all`: also nodes that have a place.
  async run(source: Source, all = false): Promise<void> {
    this.stop();
    const nodes = this.view.visibleNodes();
    const free = all ? nodes.length : nodes.filter(node => !node.placed).length;
    if (free === 0) return;
    if (nodes.length > kMostForced) {
      // A few more stay beside what they came with.
      const few = !all && free * 10 < nodes.length;
      if (!few && source.served) {
        const places = await source.places(nodes.map(node => node.key));
        for (const node of nodes) Object.assign(node, places.get(node.key));
      } else if (!few) {
        radial(nodes, this.view.visibleEdges());
      }
      for (const node of nodes) node.placed = true;
      this.view.emit('positions');
      return;
    }
    const index = new Map(nodes.map((node, i) => [node.key, i * kPerNode]));
    const edges = this.view.visibleEdges().filter(edge => edge.source !== edge.target);
    const matrix = new Float32Array(nodes.length * kPerNode);
    nodes.forEach((node, i) => matrix.set([node.x, node.y, 0, 0, 0, 0, 1, 1, 1, node.placed && !all ? 1 : 0], i * kPerNode));
    const links = new Float32Array(edges.length * 3);
    edges.forEach((edge, i) => {
      const from = index.get(edge.source)!, to = index.get(edge.target)!;
      links.set([from, to, 1], i * 3);
      for (const end of [from, to]) matrix[end + 6]! += 1;
    });
    for (const node of nodes) node.placed = true;
    const url = URL.createObjectURL(new Blob([LAYOUT_WORKER], { type: 'text/javascript' }));
    // A host may forbid workers.
    const withoutWorker = () => {
      this.stop();
      radial(nodes, edges);
      this.view.emit('positions');
    };
    try {
      this.worker = new Worker(url);
      this.onMoves(true);
    } catch {
      return withoutWorker();
    }
    const worker = this.worker;
    worker.onerror = withoutWorker;
    URL.revokeObjectURL(url);
    worker.onmessage = ({ data }: MessageEvent<{ nodes: Float32Array; end: boolean }>) => {
      nodes.forEach((node, i) => {
        node.x = data.nodes[i * kPerNode]!;
        node.y = data.nodes[i * kPerNode + 1]!;
      });
      this.view.emit('positions');
      if (data.end) this.stop();
    };
    worker.postMessage({ nodes: matrix, edges: links, iterations: nodes.length > 800 ? 120 : 240, slice: 12 });
  }

  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.onMoves(false);
  }
}

// A breadth-first tree from the node with most edges of each part: a subtree gets a share of the
// circle that follows its number of leaves. Nodes are numbers here: 50,000 keys in maps take a second.
export function radial(nodes: ShownNode[], edges: ShownEdge[]): void {
  const count = nodes.length, number = new Map(nodes.map((node, i) => [node.key, i]));
  const ends = new Int32Array(2 * edges.length), begin = new Int32Array(count + 1);
  edges.forEach((edge, i) => {
    for (const [side, key] of [edge.source, edge.target].entries()) ++begin[(ends[2 * i + side] = number.get(key)!) + 1]!;
  });
  const degree = begin.slice(1);
  for (let i = 0; i < count; ++i) begin[i + 1]! += begin[i]!;
  const near = new Int32Array(ends.length), next = begin.slice();
  for (let i = 0; i < ends.length; ++i) near[next[ends[i]!]!++] = ends[i ^ 1]!;

  const kNone = -1, parent = new Int32Array(count).fill(kNone), seen = new Uint8Array(count);
  const visit: number[] = [], roots: number[] = [];
  for (const root of Array.from(nodes.keys()).sort((a, b) => degree[b]! - degree[a]!)) {
    if (seen[root]) continue;
    seen[root] = 1;
    roots.push(root);
    visit.push(root);
    for (let at = visit.length - 1; at < visit.length; ++at)
      for (let i = begin[visit[at]!]!; i < begin[visit[at]! + 1]!; ++i) {
        const other = near[i]!;
        if (seen[other]) continue;
        seen[other] = 1;
        parent[other] = visit[at]!;
        visit.push(other);
      }
  }
  // What the children of a node have, or 1.
  const below = new Float64Array(count);
  const leaves = (node: number) => below[node] || 1;
  for (const node of visit.toReversed()) if (parent[node] !== kNone) below[parent[node]!]! += leaves(node);
  const step = 12 * Math.sqrt(count), total = roots.reduce((sum, root) => sum + leaves(root), 0);
  // The part of its circle that each node has, and from where its next child goes on.
  const width = new Float64Array(count), from = new Float64Array(count), depth = new Int32Array(count);
  let angle = 0;
  for (const node of visit) {
    const above = parent[node]!, start = above === kNone ? angle : from[above]!;
    width[node] = above === kNone ? (2 * Math.PI * leaves(node)) / total : (width[above]! * leaves(node)) / leaves(above);
    depth[node] = above === kNone ? (roots.length === 1 ? 0 : 1) : depth[above]! + 1;
    from[node] = start;
    if (above === kNone) angle += width[node]!;
    else from[above]! += width[node]!;
    const middle = start + width[node]! / 2;
    nodes[node]!.x = step * depth[node]! * Math.cos(middle);
    nodes[node]!.y = step * depth[node]! * Math.sin(middle);
  }
}
