// The table: the same content as the drawing, for those who do not see it or want to read. Rows
// come in pages.
import { append, button, el, replace, stored } from './dom';
import { say, type Word } from './words';
import type { View } from './view';

const kRows = 200;

export function makeTable(view: View, expand: (key: string) => void): HTMLElement {
  const root = el('div', { class: 'tables' });
  let shownNodes = kRows, shownEdges = kRows;
  const head = (names: Word[]) => el('thead', {}, el('tr', {}, ...names.map(name => el('th', { scope: 'col' }, say(name)))));
  const more = (count: number, table: string, click: () => void) => (count > 0 ? button(say('moreRows', { count: Math.min(count, kRows) }), () => {
    click();
    draw();
    // The first row that is new: the button is another one now.
    const row = root.querySelectorAll<HTMLElement>(`table.${table} tbody tr`)[table === 'nodes' ? shownNodes - kRows : shownEdges - kRows];
    row?.setAttribute('tabindex', '-1');
    row?.focus();
  }, { 'data-more': table }) : null);

  function draw(): void {
    const nodes = view.visibleNodes(), edges = view.visibleEdges();
    const rows = el('tbody');
    for (const node of nodes.slice(0, shownNodes)) {
      const state = node.fate ? say(node.fate) : node.supersededBy ? say('superseded') : '';
      append(rows, el('tr', { 'aria-selected': node.key === view.selected ? 'true' : undefined, class: node.fate },
        el('th', { scope: 'row' }, el('button', { type: 'button', class: 'plain', 'data-key': node.key, click: () => view.select(node.key), dblclick: () => expand(node.key) }, stored(node.key, 60))),
        el('td', {}, stored(node.kind, 40)), el('td', {}, stored(node.line, 120)), el('td', {}, String(node.degree ?? '')),
        el('td', {}, stored(node.scope ?? '', 40)), el('td', {}, state)));
    }
    const links = el('tbody');
    for (const edge of edges.slice(0, shownEdges))
      append(links, el('tr', { class: [edge.fate ?? '', view.path.has(edge.id) ? 'on-path' : ''].join(' ').trim() || undefined },
        el('td', {}, stored(edge.source, 60)), el('td', {}, stored(edge.kind, 40)), el('td', {}, stored(edge.target, 60)),
        el('td', {}, edge.weight.toFixed(3)), el('td', {}, stored(edge.label ?? '', 60)), el('td', {}, edge.fate ? say(edge.fate) : '')));
    const focused = (document.activeElement as HTMLElement | null)?.dataset.key;
    replace(root,
      el('table', { class: 'nodes' }, el('caption', {}, say('tableCaption')), head(['key', 'kind', 'text', 'degree', 'scope', 'state']), rows),
      more(nodes.length - shownNodes, 'nodes', () => { shownNodes += kRows; }),
      el('table', { class: 'edges' }, el('caption', {}, say('edgeCaption')), head(['source', 'kind', 'target', 'weight', 'label', 'state']), links),
      more(edges.length - shownEdges, 'edges', () => { shownEdges += kRows; }));
    if (focused !== undefined) [...root.querySelectorAll<HTMLElement>('[data-key]')].find(one => one.dataset.key === focused)?.focus();
  }

  // Only while it is seen; a frame takes one drawing at most.
  let waits = false;
  const later = () => {
    if (waits || root.hidden) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      if (!root.hidden) draw();
    });
  };
  view.on(['content', 'style', 'selection'], later);
  root.addEventListener('shown', later);
  // Arrow keys go from row to row.
  root.addEventListener('keydown', event => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const keys = [...root.querySelectorAll<HTMLElement>('[data-key]')], at = keys.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    keys[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
  });
  return root;
}
