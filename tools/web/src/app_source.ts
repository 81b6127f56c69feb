// In a host of MCP apps (SEP-1865, 2026-01-26) the page draws what a tool replied. Messages are
// JSON-RPC between the page and the window above it: the host sends results, and is asked to call
// `explore` for what is around a node.
import { FileSource, type FileEdge, type FileGraph, type FileNode } from './file_source';
import type { Details, Part } from './types';

type Json = Record<string, any>;

// The graph in a reply of recall or explore.
export function graphOf(reply: Json): FileGraph {
  const nodes = new Map<string, FileNode>();
  const edges: FileEdge[] = [];
  const node = (id: string, more: Json = {}) => {
    const old = nodes.get(id) ?? { id };
    for (const [name, value] of Object.entries(more)) if (value !== undefined && value !== '') old[name] ??= value;
    nodes.set(id, old);
  };
  const edge = ({ source, target, kind, weight, label }: Json) => {
    node(source);
    node(target);
    edges.push({ source, target, kind, weight: weight ?? 1, ...(label ? { label } : {}) });
  };
  for (const row of reply.nodes ?? []) node(row.key, { kind: row.node_kind, text: row.node_line });
  for (const hit of reply.hits ?? []) {
    node(hit.key, { kind: hit.kind, text: hit.text || hit.line, why: hit.why });
    for (const near of hit.related ?? []) {
      const [source, target] = near.direction === 'in' ? [near.key, near.from] : [near.from, near.key];
      node(near.key, { text: near.text });
      edge({ source, target, kind: near.relation, weight: near.weight, label: near.label });
    }
    if (hit.superseded_by) edge({ source: hit.superseded_by, target: hit.key, kind: 'supersedes' });
    for (const other of hit.contradicted_by ?? []) edge({ source: other, target: hit.key, kind: 'contradicts' });
  }
  for (const one of reply.edges ?? []) edge(one);
  for (const path of reply.paths ?? []) for (const one of path.edges ?? []) edge(one);
  if (typeof reply.key === 'string') node(reply.key, { kind: reply.kind, text: reply.text });
  return { nodes: [...nodes.values()], edges };
}

export class AppSource extends FileSource {
  private asked = 0;
  private readonly waiting = new Map<number, (reply: Json) => void>();
  private readonly known = new Set<string>();
  private mayCall = false;

  // `changed` is called for each graph that comes.
  constructor(changed: () => void) {
    super({ nodes: [], edges: [] });
    addEventListener('message', ({ data, source }: MessageEvent<Json>) => {
      if (source !== parent || data?.jsonrpc !== '2.0') return;
      if (data.method === 'ui/notifications/tool-result') {
        this.take(data.params?.structuredContent ?? {});
        changed();
      } else if (data.method && data.id !== undefined) {
        this.send({ id: data.id, result: {} });  // ping, teardown
      } else if (data.id !== undefined) {
        this.waiting.get(data.id)?.(data);
        this.waiting.delete(data.id);
      }
    });
    const app = { appInfo: { name: 'plexus', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' };
    void this.request('ui/initialize', app).then(({ hostCapabilities }) => {
      this.mayCall = Boolean(hostCapabilities?.serverTools);
      this.send({ method: 'ui/notifications/initialized', params: {} });
      this.send({ method: 'ui/notifications/size-changed', params: { height: 600 } });
    });
  }

  private take(reply: Json): void {
    const graph = graphOf(reply);
    graph.edges = graph.edges.filter(({ source, target, kind }) => {
      const id = JSON.stringify([source, target, kind]);
      return !this.known.has(id) && this.known.add(id);
    });
    this.add(graph);
  }

  private send(message: Json): void {
    parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  private request(method: string, params: Json): Promise<Json> {
    const id = ++this.asked;
    this.send({ id, method, params });
    return new Promise((done, fail) => this.waiting.set(id, reply =>
      (reply.error ? fail(new Error(reply.error.message)) : done(reply.result ?? {}))));
  }

  private async explore(request: Json): Promise<Json> {
    if (!this.mayCall) return {};
    const reply = await this.request('tools/call', { name: 'explore', arguments: request });
    if (reply.isError) throw new Error(reply.content?.[0]?.text ?? '');
    return reply.structuredContent ?? {};
  }

  override async neighbors(key: string, most: number): Promise<Part> {
    this.take(await this.explore({ from: [key], hops: 1 }));
    return super.neighbors(key, most);
  }

  override async details(key: string): Promise<Details> {
    return { ...await super.details(key), ...await this.explore({ action: 'node', from: key }) };
  }
}
