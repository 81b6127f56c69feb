// What is shown: nodes, edges, what hides them, what is chosen. The one truth for list, table,
// drawing, panel, link and exports; they listen and read.
import type { AsOf, GraphEdge, GraphNode, NodeSet, Part } from './types';

export type Fate = 'came' | 'went' | 'absent';

export interface ShownNode extends GraphNode {
  x: number;
  y: number;
  placed: boolean; // false: the layout may choose
  fate?: Fate;     // since the last position of the slider
  rank?: number;   // 0 to 1
  group?: number;  // -1: in none
  holds?: boolean; // filters.where is true
}

export interface ShownEdge extends GraphEdge {
  id: string;
  fate?: Fate;
}

export interface Filters {
  nodeKinds: Set<string>; // hidden ones
  edgeKinds: Set<string>;
  scopes: Set<string>;
  superseded: boolean; // shown
  where: string;
}

export type Change = 'content' | 'style' | 'selection' | 'positions' | 'sets' | 'time';

// What a step back returns to. Nodes and edges themselves are shared.
export interface Step {
  nodes: Map<string, ShownNode>;
  edges: Map<string, ShownEdge>;
  selected: string;
  path: Set<string>;
  pathEnds: [string, string] | undefined;
  sets: NodeSet[];
  asOf: AsOf;
}

// Above so many nodes the places are the server's.
export const kMostForced = 3000;

export const edgeId = (edge: GraphEdge): string => [edge.source, edge.kind, edge.target, edge.label ?? ''].join('\u001f');

// FNV-1a, for places and colours that are the same each time.
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

export class View {
  nodes = new Map<string, ShownNode>();
  edges = new Map<string, ShownEdge>();
  readonly filters: Filters = { nodeKinds: new Set(), edgeKinds: new Set(), scopes: new Set(), superseded: true, where: '' };
  selected = '';
  pathStart = '';
  path = new Set<string>(); // ids of edges
  pathEnds: [string, string] | undefined;
  sets: NodeSet[] = [];     // hulls
  limit = 2000;
  leftOut = { count: 0, more: false }; // by the limit; more: at least
  asOf: AsOf = '';
  sizeByRank = false;
  colourByGroup = false;
  private readonly listeners = new Map<Change, (() => void)[]>();

  on(changes: Change[], call: () => void): void {
    for (const change of changes) this.listeners.set(change, [...(this.listeners.get(change) ?? []), call]);
  }
  emit(change: Change): void {
    for (const call of this.listeners.get(change) ?? []) call();
  }

  // Adds what fits, and counts what does not. New nodes begin beside `near`.
  add(part: Part, near?: string): void {
    const centre = near ? this.nodes.get(near) : undefined;
    if (part.more) this.leftOut.more = true;
    const whole = this.nodes.size === 0 && part.nodes.length > kMostForced;  // the server's places are of all
    for (const node of part.nodes) {
      const known = this.nodes.get(node.key);
      if (known) {
        const { x, y } = known;
        Object.assign(known, node, { x, y }, known.fate === 'absent' ? { fate: undefined } : {});
        continue;
      }
      if (this.nodes.size >= this.limit) {
        ++this.leftOut.count;
        continue;
      }
      // The part is this one's now: copies of 50,000 take a second.
      const { x, y } = node, placed = whole && x !== undefined && y !== undefined;
      this.nodes.set(node.key, Object.assign(node, placed ? { x, y } : this.place(node.key, centre), { placed }));
    }
    for (const edge of part.edges) {
      if (!this.nodes.has(edge.source) || !this.nodes.has(edge.target)) continue;
      const id = edgeId(edge);
      this.edges.set(id, Object.assign(edge, { id }));
    }
    this.emit('content');
  }

  // Inside a disc whose area follows the number of nodes, or close to its neighbour.
  private place(key: string, centre?: ShownNode): { x: number; y: number } {
    const value = hash(key);
    const angle = ((value & 0xffff) / 0x10000) * 2 * Math.PI;
    const share = (value >>> 16) / 0x10000;
    const radius = centre ? 8 + 8 * share : 10 * Math.sqrt(this.nodes.size + 1) * Math.sqrt(share);
    return { x: (centre?.x ?? 0) + radius * Math.cos(angle), y: (centre?.y ?? 0) + radius * Math.sin(angle) };
  }

  remove(key: string): void {
    this.nodes.delete(key);
    for (const [id, edge] of this.edges) if (edge.source === key || edge.target === key) this.edges.delete(id);
    if (this.selected === key) this.select('');
    this.emit('content');
  }

  clear(): void {
    this.goBack({ nodes: new Map(), edges: new Map(), selected: '', path: new Set(), pathEnds: undefined, sets: [], asOf: this.asOf });
  }

  step(): Step {
    const { selected, path, pathEnds, sets, asOf } = this;
    return { nodes: new Map(this.nodes), edges: new Map(this.edges), selected, path, pathEnds, sets, asOf };
  }
  // But for its time.
  goBack({ nodes, edges, selected, path, pathEnds, sets }: Step): void {
    Object.assign(this, { nodes, edges, selected, path, pathEnds, sets, pathStart: '' });
    this.emit('content');
    this.emit('sets');
    this.emit('selection');
  }

  select(key: string): void {
    this.selected = key;
    this.emit('selection');
  }

  // The nodes and edges as they were at another time; what they were before decides what came
  // and what went. Everything that was ever loaded stays known.
  setState(part: Part): { came: number; went: number } {
    const now = new Map(part.nodes.map(node => [node.key, node]));
    const edges = new Map(part.edges.map(edge => [edgeId(edge), edge]));
    let came = 0, went = 0;
    const fateOf = (before: Fate | undefined, there: boolean): Fate | undefined => {
      const was = before === undefined || before === 'came';
      if (there && !was) return ++came, 'came';
      if (!there && was) return ++went, 'went';
      return there ? undefined : 'absent';
    };
    for (const node of this.nodes.values()) {
      const there = now.get(node.key);
      node.fate = fateOf(node.fate, there !== undefined);
      node.supersededBy = there ? there.supersededBy : node.supersededBy;
      const { x, y } = node;
      if (there) Object.assign(node, there, { x, y });
    }
    for (const [id, edge] of edges)
      if (!this.edges.has(id) && this.nodes.has(edge.source) && this.nodes.has(edge.target)) this.edges.set(id, { ...edge, id, fate: 'absent' });
    for (const [id, edge] of this.edges) edge.fate = fateOf(edge.fate, edges.has(id));
    this.emit('content');
    return { came, went };
  }

  // 'went' stays, as a ghost; what was not there before either is hidden.
  isVisible(node: ShownNode): boolean {
    const f = this.filters;
    return node.fate !== 'absent' && !f.nodeKinds.has(node.kind) && !f.scopes.has(node.scope ?? '') &&
      (f.superseded || !node.supersededBy) && !(f.where && node.holds === false);
  }
  isEdgeVisible(edge: ShownEdge): boolean {
    if (edge.fate === 'absent' || this.filters.edgeKinds.has(edge.kind)) return false;
    return this.isVisible(this.nodes.get(edge.source)!) && this.isVisible(this.nodes.get(edge.target)!);
  }
  visibleNodes(): ShownNode[] { return [...this.nodes.values()].filter(node => this.isVisible(node)); }
  edgesOf(key: string): ShownEdge[] {
    return [...this.edges.values()].filter(edge => (edge.source === key || edge.target === key) && this.isEdgeVisible(edge));
  }
  visibleEdges(): ShownEdge[] { return [...this.edges.values()].filter(edge => this.isEdgeVisible(edge)); }
}
