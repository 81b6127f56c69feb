// How nodes and edges look: the drawing and the SVG read the same values. Colours have a contrast
// of 3:1 on light and dark.
import { cut } from './dom';
import type { NodeSet } from './types';
import type { ShownEdge, ShownNode, View } from './view';
import { hash } from './view';

const kColours = ['#3b7dd8', '#c2571a', '#2f8f5b', '#a855c7', '#a57f00', '#d1477a', '#1690a2', '#7a7f2e', '#8b6f5c', '#6673e0'];
export const kCame = '#2f9e44', kWent = '#e03131', kPath = '#e8590c', kChosen = '#d6336c';

export interface Theme { background: string; text: string; edge: string; faded: string }

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return { background: value('--background'), text: value('--text'), edge: value('--edge'), faded: value('--faded') };
}

export function kindColour(kind: string): string {
  return kColours[hash(kind) % kColours.length]!;
}

export function nodeSize(view: View, node: ShownNode): number {
  if (view.sizeByRank) return 3 + 14 * (node.rank ?? 0) ** 4;
  return Math.min(4 + Math.log2(1 + (node.degree ?? 0)), 14);
}

export function nodeColour(view: View, node: ShownNode, colours: Theme): string {
  if (node.key === view.selected) return kChosen;
  if (node.fate === 'came') return kCame;
  if (node.fate === 'went') return kWent;
  if (node.supersededBy) return colours.faded;
  if (view.colourByGroup) return kColours[(node.group ?? -1) % kColours.length] ?? colours.faded;
  return kindColour(node.kind);
}

export function edgeColour(view: View, edge: ShownEdge, colours: Theme): string {
  if (view.path.has(edge.id)) return kPath;
  return edge.fate === 'came' ? kCame : edge.fate === 'went' ? kWent : colours.edge;
}

export function edgeSize(view: View, edge: ShownEdge): number {
  return view.path.has(edge.id) ? 4 : edge.fate ? 2 : 0.6 + Math.min(Math.max(edge.weight, 0), 1);
}

export const shownName = (node: ShownNode, most = 40): string => cut(node.line || node.key, most);

export interface Point { x: number; y: number }

// What a hull says in full: why these, and the question about them.
export const hullText = (set: NodeSet): string => [set.title, set.question].filter(Boolean).join('\n');

// The corners of the convex hull, with room around each point (Andrew's monotone chain).
export function hull(points: Point[], room: number): Point[] {
  const around = points.flatMap(p => Array.from({ length: 8 }, (_, i) => ({
    x: p.x + room * Math.cos((i * Math.PI) / 4), y: p.y + room * Math.sin((i * Math.PI) / 4),
  }))).sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (sorted: Point[]): Point[] => {
    const chain: Point[] = [];
    for (const p of sorted) {
      for (let a, b; chain.length > 1; chain.pop()) {
        [a, b] = [chain[chain.length - 2]!, chain[chain.length - 1]!];
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(around), ...half(around.reverse())];
}
