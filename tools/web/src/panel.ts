// The side panel: everything about the chosen node, and what can be done with it.
import { append, button, cut, el, replace, stored, time, visible } from './dom';
import type { Details, GraphEdge, HistoryRow } from './types';
import type { Explorer } from './explorer';
import { nodeWrites } from './propose';
import { say } from './words';

const kText = 20_000; // characters that are shown at once

const kEdges = 100, kRows = 500;
const onlyFirst = (all: number, count: number): HTMLElement | null => (all > count ? el('p', {}, say('onlyFirst', { count })) : null);

const kOwn = new Set(['key', 'kind', 'text', 'members', 'outcomes', 'truncated']);

// A long text comes in pieces: a browser takes minutes to break one line of a megabyte.
function textBlock(text: string): HTMLElement {
  const block = el('div', { class: 'text stored', dir: 'auto' });
  let shown = 0;
  const more = button('', () => {
    const space = text.lastIndexOf(' ', shown + kText), end = text.length - shown <= kText ? text.length : space > shown + kText / 2 ? space + 1 : shown + kText;
    append(block, el('div', {}, visible(text.slice(shown, end))));
    shown = end;
    more.hidden = shown >= text.length;
    more.textContent = say('moreText', { shown, count: text.length });
  }, { 'data-action': 'more-text' });
  more.click();
  return el('div', {}, block, more);
}

export function makePanel(explorer: Explorer): HTMLElement {
  const { view, source } = explorer;
  const root = el('aside', { 'aria-label': say('details'), class: 'panel' });

  let chosen = '', before = '';  // the node that was chosen before: the other end of a new edge

  function actions(key: string): HTMLElement {
    const hops = el('input', { type: 'number', min: 1, max: 16, value: 2, 'aria-label': `${say('around')} … ${say('hops')}` });
    const from = view.pathStart;
    return el('div', { class: 'actions' },
      button(say('expand'), () => void explorer.expand(key), { class: 'main', 'data-action': 'expand' }),
      from && from !== key
        ? button(say('pathTo'), () => void explorer.path(from, key), { 'data-action': 'path-to' })
        : button(say('pathFrom'), () => {
          view.pathStart = key;
          explorer.say(say('pathStart', { key: cut(key, 60) }));
          view.emit('selection');
        }, { 'data-action': 'path-from' }),
      source.served && button(say('rings'), () => void explorer.rings(key), { 'data-action': 'rings' }),
      el('span', { class: 'around' }, button(say('around'), () => void explorer.around(key, Number(hops.value) || 1), { 'data-action': 'around' }), hops, say('hops')),
      source.served && button(say('dependentsOf'), () => void explorer.showDependents(key), { 'data-action': 'dependents' }),
      button(say('remove'), () => explorer.remove(key), { 'data-action': 'remove' }));
  }

  const unlink = ({ source, kind, target, label = '' }: GraphEdge) => button(say('unlink'),
    () => explorer.propose({ operation: 'unlink', request: { source, kind, target, label } }), { class: 'plain', 'data-action': 'unlink' });

  // Follows what is shown: the edges of a new node come after it.
  const links = el('details', { open: true });
  function drawEdges(): void {
    const key = view.selected, list = el('ul', { class: 'edges' });
    const mine = view.edgesOf(key);
    for (const edge of mine.slice(0, kEdges)) {
      const out = edge.source === key, other = out ? edge.target : edge.source;
      append(list, el('li', {}, out ? '→ ' : '← ', stored(edge.kind, 40), ' ',
        button('', () => view.select(other), { class: 'plain' }), ` ${edge.weight.toFixed(2)}`, edge.label ? el('span', {}, ' ', stored(edge.label, 60)) : null, ' ',
        source.mayWrite && !view.asOf && unlink(edge)));
      append(list.lastElementChild!.querySelector('button')!, stored(view.nodes.get(other)?.line || other, 80));
    }
    replace(links, el('summary', {}, `${say('edges')} (${mine.length})`), list, onlyFirst(mine.length, kEdges));
  }

  function properties(details: Details): HTMLElement {
    const list = el('dl');
    const row = (name: string, value: unknown) => {
      if (value === null || value === '' || (Array.isArray(value) && !value.length) || (typeof value === 'object' && !Array.isArray(value) && !Object.keys(value as object).length)) return;
      append(list, el('dt', {}, stored(name, 60)), el('dd', {}, stored(typeof value === 'object' ? JSON.stringify(value) : String(value), 2000)));
    };
    for (const [name, value] of Object.entries(details)) {
      if (kOwn.has(name)) continue;
      if (name === 'props' && value && typeof value === 'object') for (const [one, inner] of Object.entries(value)) row(one, inner);
      else row(name, value);
    }
    return el('details', { open: true }, el('summary', {}, say('properties')), list);
  }

  function history(key: string): HTMLElement {
    const body = el('ol', { class: 'history' });
    const box = el('details', {}, el('summary', {}, say('history')), body);
    box.addEventListener('toggle', async () => {
      if (!box.open || body.firstChild) return;
      const rows: HistoryRow[] = await explorer.ask(explorer.details, from => from.history(key)) ?? [];
      for (const row of rows.slice(0, kRows)) append(body, el('li', {}, `${row.sequence} · ${time(row.timeMs)} · `, stored(row.what, 300)));
      append(box, onlyFirst(rows.length, kRows));
    });
    return box;
  }

  function terms(key: string): HTMLElement | null {
    const hit = explorer.hits.find(one => one.key === key);
    if (!hit || (!hit.why && !hit.terms && hit.score === undefined)) return null;
    const list = el('ul');
    if (hit.why) append(list, el('li', { class: 'why' }, stored(hit.why, 400)));
    for (const term of hit.terms ?? [])
      append(list, el('li', {}, say('termRow', { name: term.name, value: term.value.toFixed(3), weight: term.weight })));
    return el('details', { open: true, class: 'terms' }, el('summary', {}, `${say('terms')}${hit.score === undefined ? '' : ` (${hit.score.toPrecision(4)})`}`), list);
  }

  async function draw(): Promise<void> {
    const key = view.selected;
    if (key && key !== chosen) [before, chosen] = [chosen, key];
    explorer.details.cancel();
    if (!key) {
      replace(root, el('p', { class: 'hint' }, say('noSelection')));
      return;
    }
    const node = view.nodes.get(key);
    const body = el('div');
    drawEdges();
    replace(root, el('h2', {}, stored(node?.line || key, 200)),
      el('p', { class: 'key' }, stored(node?.kind ?? '', 40), ' · ', stored(key, 1100)), actions(key),
      node?.supersededBy ? el('p', { class: 'superseded' }, say('supersededBy', { key: cut(node.supersededBy, 80) })) : null,
      terms(key), body);
    if (node?.fate === 'went' || node?.fate === 'absent') {
      replace(body, el('p', { class: 'hint' }, say('notThen')));
      return;
    }
    const details = await explorer.ask(explorer.details, from => from.details(key));
    const text = typeof details?.text === 'string' ? details.text : '';
    replace(body, text ? textBlock(text) : null, links, details ? properties(details) : null, source.served ? history(key) : null, nodeWrites(explorer, key, before));
  }
  view.on(['selection', 'time'], () => void draw());
  view.on(['content'], () => view.selected && drawEdges());
  void draw();
  return root;
}
