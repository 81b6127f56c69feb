// The view as SVG, without WebGL; PNG is made of it.
import { edgeColour, edgeSize, hull, hullText, nodeColour, nodeSize, shownName, theme } from './look';
import { cut } from './dom';
import type { View } from './view';

const escaped = (text: string): string => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

export function svg(view: View, width = 1600, height = 1000): string {
  const colours = theme(), nodes = view.visibleNodes(), edges = view.visibleEdges();
  const [left, right, low, high] = nodes.reduce(
    ([a, b, c, d], n) => [Math.min(a, n.x), Math.max(b, n.x), Math.min(c, n.y), Math.max(d, n.y)],
    [Infinity, -Infinity, Infinity, -Infinity] as [number, number, number, number]);
  const scale = Math.min((width - 240) / (right - left || 1), (height - 120) / (high - low || 1));
  // Up is up, as in the drawing.
  const place = (node: { x: number; y: number }) => ({
    x: width / 2 + (node.x - (left + right) / 2) * scale, y: height / 2 - (node.y - (low + high) / 2) * scale,
  });
  const n = (value: number) => value.toFixed(1);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="${colours.background}"/>`];
  for (const edge of edges) {
    const a = place(view.nodes.get(edge.source)!), b = place(view.nodes.get(edge.target)!);
    out.push(`<line x1="${n(a.x)}" y1="${n(a.y)}" x2="${n(b.x)}" y2="${n(b.y)}" stroke="${edgeColour(view, edge, colours)}" stroke-width="${n(edgeSize(view, edge))}"/>`);
  }
  for (const set of view.sets) {
    const members = set.keys.map(key => view.nodes.get(key)).filter(node => node && view.isVisible(node));
    if (members.length < 2) continue;
    const corners = hull(members.map(node => place(node!)), 18);
    out.push(`<polygon points="${corners.map(p => `${n(p.x)},${n(p.y)}`).join(' ')}" fill="none" stroke="${colours.text}" stroke-dasharray="6 4"><title>${escaped(hullText(set))}</title></polygon>`);
    const top = corners.reduce((a, b) => (b.y < a.y ? b : a));
    out.push(`<text x="${n(top.x)}" y="${n(top.y - 6)}" fill="${colours.text}">${escaped(cut(set.question ?? set.title, 90))}</text>`);
  }
  for (const node of nodes) {
    const at = place(node), size = nodeSize(view, node);
    out.push(`<circle cx="${n(at.x)}" cy="${n(at.y)}" r="${n(size)}" fill="${nodeColour(view, node, colours)}"/>`);
    if (nodes.length <= 300 || size > 9) out.push(`<text x="${n(at.x + size + 3)}" y="${n(at.y + 4)}" fill="${colours.text}">${escaped(shownName(node))}</text>`);
  }
  return `${out.join('\n')}\n</svg>\n`;
}

export async function png(view: View): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg(view)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d')!.drawImage(image, 0, 0);
    return await new Promise((done, fail) => canvas.toBlob(blob => (blob ? done(blob) : fail(new Error('no PNG'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
