// The link that restores a view: JSON in the fragment, which is never sent to a server.
import type { EventName, NodeSet } from './types';
import type { View } from './view';

export interface Saved {
  nodes: [key: string, x?: number, y?: number][]; // without a place: the layout chooses
  selected?: string;
  asOf?: string;
  limit?: number;
  hidden?: { nodeKinds: string[]; edgeKinds: string[]; scopes: string[]; superseded: boolean; where: string };
  path?: [from: string, to: string];
  sets?: NodeSet[];
  start?: string; // the list on the left
  event?: EventName; // with no nodes: its members
  rank?: boolean;
  group?: boolean;
  camera?: { x: number; y: number; ratio: number };
  tab?: string;
}

export const kMost = 5000; // nodes: browsers limit an address to 2 MB

export function fragment(view: View, rest: Partial<Saved>): string {
  const f = view.filters;
  const saved: Saved = {
    nodes: [...view.nodes.values()].slice(0, kMost).map(node => [node.key, Math.round(node.x), Math.round(node.y)]),
    selected: view.selected || undefined,
    asOf: view.asOf || undefined,
    limit: view.limit === 2000 ? undefined : view.limit,
    hidden: { nodeKinds: [...f.nodeKinds], edgeKinds: [...f.edgeKinds], scopes: [...f.scopes], superseded: f.superseded, where: f.where },
    path: view.pathEnds,
    sets: view.sets.length ? view.sets : undefined,
    rank: view.sizeByRank || undefined,
    group: view.colourByGroup || undefined,
    ...rest,
  };
  return `#${encodeURIComponent(JSON.stringify(saved))}`;
}

// null: no link, or one that says nothing. What is not of its type is left out.
export function parse(hash: string): Saved | null {
  if (hash.length < 2) return null;
  try {
    const saved = JSON.parse(decodeURIComponent(hash.slice(1))) as Saved;
    if (!saved || !Array.isArray(saved.nodes)) return null;
    const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(one => typeof one === 'string') : []);
    saved.nodes = saved.nodes.filter(row => Array.isArray(row) && typeof row[0] === 'string' && (row.length === 1 || (Number.isFinite(row[1]) && Number.isFinite(row[2]))));
    if (typeof saved.asOf !== 'string' || !/^\d+$/.test(saved.asOf)) delete saved.asOf;
    if (typeof saved.selected !== 'string') delete saved.selected;
    if (!Number.isInteger(saved.limit) || saved.limit! < 1) delete saved.limit;
    if (!Array.isArray(saved.path) || texts(saved.path).length !== 2) delete saved.path;
    if (typeof saved.start !== 'string') delete saved.start;
    if (typeof saved.event?.id !== 'string' || !['string', 'undefined'].includes(typeof saved.event.query)) delete saved.event;
    const sets = Array.isArray(saved.sets) ? saved.sets : [];
    saved.sets = sets.map(set => ({ keys: texts(set?.keys), title: String(set?.title), question: typeof set?.question === 'string' ? set.question : undefined }));
    if (![saved.camera?.x, saved.camera?.y, saved.camera?.ratio].every(Number.isFinite)) delete saved.camera;
    const hidden = saved.hidden;
    if (hidden)
      saved.hidden = {
        nodeKinds: texts(hidden.nodeKinds), edgeKinds: texts(hidden.edgeKinds), scopes: texts(hidden.scopes),
        superseded: hidden.superseded !== false, where: typeof hidden.where === 'string' ? hidden.where : '',
      };
    return saved;
  } catch {
    return null;
  }
}
