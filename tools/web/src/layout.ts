// Places: ForceAtlas2 in a worker up to 3,000 nodes, with those that have a place kept there; above,
// a radial tree, which takes one pass.
import type { ShownNode, View } from './view';

const kMostForced = 3000;
const kPerNode = 10;

export class Layout {
  private worker: Worker | null = null;

  constructor(private readonly view: View) {}

  // `all`: also nodes that have a place.
  run(all = false): void {
    this.stop();
    const nodes = this.view.visibleNodes();
    const free = all ? nodes.length : nodes.filter(node => !node.placed).length;
    if (free === 0) return;
    if (nodes.length > kMostForced) {
      radial(this.view, nodes);
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
    const worker = this.worker = new Worker(url);
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
  }
}

// A breadth-first tree from the node with most edges of each part: a subtree gets a share of the
// circle that follows its number of leaves.
export function radial(view: View, nodes: ShownNode[]): void {
  const near = new Map<string, string[]>(nodes.map(node => [node.key, []]));
  for (const edge of view.edges.values()) {
    near.get(edge.source)?.push(edge.target);
    near.get(edge.target)?.push(edge.source);
  }
  const order = [...nodes].sort((a, b) => near.get(b.key)!.length - near.get(a.key)!.length);
  const children = new Map<string, string[]>();
  const visit: string[] = [], roots: string[] = [];
  for (const root of order) {
    if (children.has(root.key)) continue;
    roots.push(root.key);
    children.set(root.key, []);
    visit.push(root.key);
    for (let at = visit.length - 1; at < visit.length; ++at)
      for (const other of near.get(visit[at]!)!) {
        if (!near.has(other) || children.has(other)) continue;
        children.set(other, []);
        children.get(visit[at]!)!.push(other);
        visit.push(other);
      }
  }
  const leaves = new Map<string, number>();
  for (const key of [...visit].reverse()) leaves.set(key, children.get(key)!.reduce((sum, child) => sum + leaves.get(child)!, 0) || 1);
  const step = 12 * Math.sqrt(nodes.length);
  const total = roots.reduce((sum, root) => sum + leaves.get(root)!, 0);
  const spans = new Map<string, { from: number; width: number; depth: number }>();
  let angle = 0;
  for (const root of roots) {
    const width = (2 * Math.PI * leaves.get(root)!) / total;
    spans.set(root, { from: angle, width, depth: roots.length === 1 ? 0 : 1 });
    angle += width;
  }
  for (const key of visit) {
    const span = spans.get(key)!;
    let from = span.from;
    for (const child of children.get(key)!) {
      const width = (span.width * leaves.get(child)!) / leaves.get(key)!;
      spans.set(child, { from, width, depth: span.depth + 1 });
      from += width;
    }
    const node = view.nodes.get(key)!, middle = span.from + span.width / 2;
    node.x = step * span.depth * Math.cos(middle);
    node.y = step * span.depth * Math.sin(middle);
  }
}
