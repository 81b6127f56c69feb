// What is hidden, and how the rest looks.
import { append, button, el, replace, stored } from './dom';
import type { Explorer } from './explorer';
import { kindColour } from './look';
import { say } from './words';

function counted(values: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const kBoxes = 40;

export function makeFilters(explorer: Explorer): HTMLElement {
  const { view, source } = explorer;
  const lists = el('div', { class: 'lists' });

  function boxes(title: string, hidden: Set<string>, values: [string, number][], name: string, coloured = false): HTMLElement | null {
    if (values.length + hidden.size === 0) return null;
    const set = el('fieldset', {}, el('legend', {}, title));
    // What is hidden first: it can be shown again, also where there is none of it now.
    const known = new Map(values), all = [...[...hidden].map((value): [string, number] => [value, known.get(value) ?? 0]), ...values.filter(([value]) => !hidden.has(value))];
    const shown = all.slice(0, Math.max(kBoxes, hidden.size));
    for (const [value, count] of shown) {
      const box = el('input', { type: 'checkbox', 'data-filter': name, value });
      box.checked = !hidden.has(value);
      box.addEventListener('change', () => {
        if (box.checked) hidden.delete(value);
        else hidden.add(value);
        view.emit('content');
      });
      const mark = coloured ? el('span', { class: 'mark', 'aria-hidden': 'true' }) : null;
      if (mark) mark.style.background = kindColour(value);
      append(set, el('label', {}, box, mark, stored(value || '—', 40), ` ${count}`));
    }
    if (all.length > shown.length) append(set, el('p', {}, say('leftOut', { count: all.length - shown.length })));
    return set;
  }

  let drawn = '';
  function draw(): void {
    const nodes = counted([...view.nodes.values()].map(node => node.kind));
    const edges = counted([...view.edges.values()].map(edge => edge.kind));
    const scopes = counted([...view.nodes.values()].map(node => node.scope ?? ''));
    const f = view.filters, now = JSON.stringify([nodes, edges, scopes, [...f.nodeKinds], [...f.edgeKinds], [...f.scopes]]);
    superseded.checked = f.superseded;
    if (now === drawn) return;
    drawn = now;
    const focused = document.activeElement instanceof HTMLInputElement ? [document.activeElement.dataset.filter, document.activeElement.value] : null;
    replace(lists, boxes(say('nodeKinds'), f.nodeKinds, nodes, 'node-kind', true), boxes(say('edgeKinds'), f.edgeKinds, edges, 'edge-kind'),
      scopes.length > 1 || f.scopes.size ? boxes(say('scopes'), f.scopes, scopes, 'scope') : null);
    if (focused?.[0]) [...lists.querySelectorAll('input')].find(box => box.dataset.filter === focused[0] && box.value === focused[1])?.focus();
  }

  const superseded = el('input', { type: 'checkbox', 'data-filter': 'superseded', change: () => {
    view.filters.superseded = superseded.checked;
    view.emit('content');
  } });
  const where = el('input', { type: 'text', 'data-filter': 'where', placeholder: say('whereHint'), spellcheck: 'false' });
  const form = el('form', { submit: (event: Event) => {
    event.preventDefault();
    void explorer.setLooks({ where: where.value.trim() });
  } }, el('label', {}, say('where'), where), button(say('apply'), () => form.requestSubmit()));
  const limit = el('input', { type: 'number', min: 1, max: 200000, 'data-filter': 'limit', change: () => {
    view.limit = Math.max(1, Number(limit.value) || 2000);
  } });
  const looks = (name: 'sizeByRank' | 'colourByGroup') => {
    const box = el('input', { type: 'checkbox', 'data-look': name, change: () => void explorer.setLooks({ [name]: box.checked }) });
    return { box, row: el('label', {}, box, say(name)) };
  };
  const rank = looks('sizeByRank'), group = looks('colourByGroup');
  view.on(['content', 'style'], () => {
    limit.value = String(view.limit);
    rank.box.checked = view.sizeByRank;
    group.box.checked = view.colourByGroup;
    if (document.activeElement !== where) where.value = view.filters.where;
    draw();
  });
  limit.value = String(view.limit);
  draw();
  return el('details', { class: 'filters' }, el('summary', {}, say('filters')),
    el('div', { class: 'looks' }, el('label', {}, superseded, say('superseded')), source.served && rank.row, source.served && group.row,
      el('label', {}, say('limit'), limit), button(say('layout'), () => void explorer.arrange(), { 'data-action': 'layout' })),
    source.served && form, lists);
}
