// Answers from node-link JSON inside the page: what `plexus export --format html` writes. What only
// a server knows (time, ranks, the ledger) is empty here.
import { time } from './dom';
import { say } from './words';
import type { Conflict, Cut, Details, GraphEdge, GraphNode, Hit, Part, Source } from './types';

export interface FileNode { id: string; kind?: string; text?: string; scope?: string; [name: string]: unknown }
export interface FileEdge { source: string; target: string; kind: string; weight: number; label?: string }
export interface FileGraph { nodes: FileNode[]; edges: FileEdge[] }

const kTimes = ['created_at', 'accessed_at'];

const refuse = () => Promise.reject(new Error(say('onlyServed')));

export class FileSource implements Source {
  readonly served = false;
  readonly mayWrite = false;
  readonly mayUndo = false;
  private readonly nodes = new Map<string, FileNode>();
  private readonly near = new Map<string, FileEdge[]>();
  private readonly superseded = new Map<string, string>();

  private readonly graph: FileGraph;

  constructor(graph: FileGraph) {
    this.graph = { ...graph, nodes: [], edges: [] };
    this.add(graph);
  }

  protected add(graph: FileGraph): void {
    for (const node of graph.nodes) {
      const old = this.nodes.get(node.id);
      if (old) Object.assign(old, { ...node, ...old });
      else this.graph.nodes.push(node);
      this.nodes.set(node.id, old ?? node);
    }
    for (const edge of graph.edges) {
      this.graph.edges.push(edge);
      for (const end of new Set([edge.source, edge.target])) {
        const list = this.near.get(end);
        if (list) list.push(edge);
        else this.near.set(end, [edge]);
      }
      if (edge.kind === 'supersedes') this.superseded.set(edge.target, edge.source);
    }
  }

  at(): Source { return this; }

  keys(): string[] { return [...this.nodes.keys()]; }

  private node(key: string): GraphNode {
    const node = this.nodes.get(key)!;
    return {
      key, kind: node.kind ?? 'node', line: (node.text ?? '').split('\n', 1)[0] ?? '',
      degree: this.near.get(key)?.length ?? 0, scope: node.scope, supersededBy: this.superseded.get(key),
    };
  }

  async status() {
    const nodeKinds: Record<string, number> = {};
    for (const node of this.nodes.values()) nodeKinds[node.kind ?? 'node'] = (nodeKinds[node.kind ?? 'node'] ?? 0) + 1;
    return { sequence: 0, nodes: this.nodes.size, edges: this.graph.edges.length, nodeKinds };
  }

  // All words, somewhere in key or text; the most connected first.
  async words(text: string): Promise<Hit[]> {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    const hits: Hit[] = [];
    for (const [key, node] of this.nodes) {
      const has = `${key}\n${node.text ?? ''}`.toLowerCase();
      if (wanted.length && wanted.every(word => has.includes(word))) hits.push(this.node(key));
    }
    return hits.sort((a, b) => (b.degree ?? 0) - (a.degree ?? 0)).slice(0, 50);
  }

  async byKey(text: string): Promise<Hit[]> {
    return this.keys().filter(key => key.startsWith(text)).sort((a, b) => a.length - b.length).slice(0, 50).map(key => this.node(key));
  }

  async important(): Promise<Hit[]> {
    return this.keys().map(key => this.node(key)).sort((a, b) => (b.degree ?? 0) - (a.degree ?? 0)).slice(0, 30);
  }

  async load(keys: string[]): Promise<Part> {
    const there = new Set(keys.filter(key => this.nodes.has(key)));
    const edges = new Set<FileEdge>();
    for (const key of there)
      for (const edge of this.near.get(key) ?? []) if (there.has(edge.source) && there.has(edge.target)) edges.add(edge);
    return { nodes: [...there].map(key => this.node(key)), edges: [...edges].map(edge => ({ ...edge })) };
  }

  async join(some: string[], all: string[]): Promise<GraphEdge[]> {
    const from = new Set(some);
    return (await this.load(all)).edges.filter(edge => from.has(edge.source) || from.has(edge.target));
  }

  async neighbors(key: string, most: number): Promise<Part> {
    const edges = [...(this.near.get(key) ?? [])].sort((a, b) => b.weight - a.weight);
    const shown = most ? edges.slice(0, most) : edges;
    const keys = new Set([key, ...shown.flatMap(edge => [edge.source, edge.target])]);
    return { nodes: [...keys].map(one => this.node(one)), edges: shown.map(edge => ({ ...edge })), total: edges.length };
  }

  async around(key: string, hops: number, most: number): Promise<Part> {
    const found = new Set(this.nodes.has(key) ? [key] : []);
    let level = [...found];
    let more = false;
    for (let hop = 0; hop < hops && !more; ++hop) {
      const next: string[] = [];
      for (const one of level)
        for (const edge of this.near.get(one) ?? []) {
          const other = edge.source === one ? edge.target : edge.source;
          if (found.has(other)) continue;
          more ||= found.size >= most;
          if (more) continue;
          found.add(other);
          next.push(other);
        }
      level = next;
    }
    return { ...await this.load([...found]), more };
  }

  async details(key: string): Promise<Details> {
    const { id, ...rest } = this.nodes.get(key) ?? { id: key };
    for (const name of kTimes) if (typeof rest[name] === 'number') rest[name] = time(rest[name]);
    return { key: id, ...rest };
  }

  // Breadth first, either way.
  async path(from: string, to: string): Promise<GraphEdge[]> {
    const via = new Map<string, FileEdge | null>([[from, null]]);
    for (const one of via.keys()) {
      if (one === to) break;
      for (const edge of this.near.get(one) ?? []) {
        const other = edge.source === one ? edge.target : edge.source;
        if (!via.has(other)) via.set(other, edge);
      }
    }
    const edges: GraphEdge[] = [];
    for (let one = to, edge = via.get(to); edge; edge = via.get(one)) {
      edges.unshift({ ...edge });
      one = edge.source === one ? edge.target : edge.source;
    }
    return edges;
  }

  async conflicts(): Promise<Cut<Conflict>> {
    const text = (key: string) => String(this.nodes.get(key)?.text ?? '');
    const rows = this.graph.edges.filter(edge => edge.kind === 'contradicts').map(({ source: a, target: b }) => ({
      a, b, since: NaN, newer: b, textA: text(a), textB: text(b),
    }));
    return { rows, more: false };
  }

  async nodeLink(keys: string[]): Promise<string> {
    const there = new Set(keys);
    const edges = this.graph.edges.filter(edge => there.has(edge.source) && there.has(edge.target));
    return JSON.stringify({ ...this.graph, nodes: this.graph.nodes.filter(node => there.has(node.id)), edges });
  }

  similar = refuse;
  communities = refuse;
  rings = refuse;
  history = async () => [];
  ranks = refuse;
  groups = refuse;
  places = refuse;
  where = refuse;
  batches = async () => ({ rows: [], more: false });
  frontier = refuse;
  events = async () => ({ rows: [], more: false });
  members = async () => [];
  blocked = refuse;
  dependents = refuse;
  write = refuse;
}
