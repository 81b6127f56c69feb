// Lists of sets: communities, what was never combined, and the ledger as a line of time.
import { append, el, stored, time } from './dom';
import type { LedgerEvent, NodeSet, Source } from './types';
import type { Explorer } from './explorer';
import { labelChoice } from './propose';
import { say } from './words';

// A heading, and what is below it.
export type List = [title: string, ...rows: (HTMLElement | null)[]];

export const nothing = (): HTMLElement => el('p', {}, say('nothing'));

export async function drawCommunities(source: Source, explorer: Explorer): Promise<List> {
  const sets = await source.communities();
  const named = await source.load(sets.flatMap(set => set.keys.slice(0, 3)));
  const names = new Map(named.nodes.map(node => [node.key, node.line || node.key]));
  const rows = el('ol');
  for (const set of sets)
    append(rows, el('li', {}, el('button', { type: 'button', class: 'hit', 'data-set': set.title, click: () => void explorer.show(set.keys, set.keys[0]) },
      el('span', { class: 'name' }, say('community', { size: set.score ?? set.keys.length })),
      el('span', { class: 'about' }, ...set.keys.slice(0, 3).flatMap((key, i) => [i ? ' · ' : '', stored(names.get(key) ?? key, 50)])))));
  return [say('communities'), sets.length ? rows : nothing()];
}

export async function drawFrontier(source: Source, explorer: Explorer): Promise<List> {
  const sets = await source.frontier();
  const named = await source.load([...new Set(sets.flatMap(set => set.keys))]);
  const names = new Map(named.nodes.map(node => [node.key, node.line || node.key]));
  const rows = el('ol');
  const members = (set: NodeSet) => set.keys.flatMap((key, i) => [i ? ' + ' : '', stored(names.get(key) ?? key, 60)]);
  for (const set of sets)
    append(rows, el('li', {}, el('button', { type: 'button', class: 'hit', 'data-set': set.keys.join(' '), click: () => void explorer.show(set.keys, set.keys[0], [set]) },
      el('span', { class: 'name' }, ...members(set)),
      el('span', { class: 'about' }, `${say('reason')}: `, stored(set.title, 300)),
      set.question ? el('span', { class: 'about' }, `${say('question')}: `, stored(set.question, 300)) : null)));
  return [say('frontier'), sets[0]?.lens ? el('p', { 'data-lens': sets[0].lens }, say('lens', { name: sets[0].lens })) : null, sets.length ? rows : nothing()];
}

export async function drawBlocked(source: Source, explorer: Explorer): Promise<List> {
  const { rows: blocked, more } = await source.blocked();
  const named = await source.load([...new Set(blocked.flatMap(one => [one.key, ...(one.root ? [one.root] : [])]))]);
  const names = new Map(named.nodes.map(node => [node.key, node.line || node.key]));
  const rows = el('ol');
  for (const one of blocked)
    append(rows, el('li', {}, el('button', { type: 'button', class: 'hit', 'data-blocked': one.key, click: () => void explorer.showBlocked(one) },
      el('span', { class: 'name' }, stored(names.get(one.key) ?? one.key, 120)),
      el('span', { class: 'about' }, one.root ? `${say('waitsFor', { count: one.chain.length })} ` : say('waitsInCycle'), one.root ? stored(names.get(one.root) ?? one.root, 120) : null))));
  return [say('blocked'), blocked.length ? rows : nothing(), more ? el('p', {}, say('onlyFirst', { count: blocked.length })) : null];
}

const kGood = new Set(['helpful', 'accepted', 'success', 'confirmed', 'submitted']);
const kBad = new Set(['dead_end', 'wrong', 'failed', 'unhelpful', 'rejected', 'duplicate']);
function judged(event: LedgerEvent): string {
  if (event.outcomes.some(outcome => kBad.has(outcome))) return 'bad';
  return event.outcomes.some(outcome => kGood.has(outcome)) ? 'good' : 'open';
}

export async function drawLedger(source: Source, explorer: Explorer): Promise<List> {
  const { rows: events, more } = await source.events();
  const times = events.map(event => event.createdAt ?? 0), first = Math.min(...times), last = Math.max(...times);
  const line = el('div', { class: 'line', 'aria-hidden': 'true' });
  const rows = el('ol', { class: 'events' });
  const mark = (event: LedgerEvent) => ({ good: '✓', bad: '✗', open: '·' })[judged(event)] ?? '·';
  for (const event of events) {
    const dot = el('span', { class: `dot ${judged(event)}` });
    dot.style.left = `${last > first ? (100 * ((event.createdAt ?? first) - first)) / (last - first) : 50}%`;
    append(line, dot);
    append(rows, el('li', {}, el('button', { type: 'button', class: `hit ${judged(event)}`, 'data-event': event.id, click: () => void explorer.showEvent(event) },
      el('span', { class: 'name' }, `${mark(event)} ${time(event.createdAt)} `, stored(event.query ?? event.id, 120)),
      el('span', { class: 'about' }, stored([event.tool, event.status, event.confidence?.toFixed(2)].filter(Boolean).join(' · '), 80),
        event.outcomes.length ? ` · ${say('outcomes', { list: event.outcomes.join(', ') })}` : '')),
      labelChoice(explorer, event.id)));
  }
  return [say('ledger'), events.length ? line : el('p', {}, say('noEvents')), rows, more ? el('p', {}, say('onlyNewest', { count: events.length })) : null];
}
