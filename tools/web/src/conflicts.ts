// Conflicts, side by side: supersede one side, drop one, or keep both.
import { append, button, el, stored, time, visible } from './dom';
import type { Conflict, Source } from './types';
import type { Explorer } from './explorer';
import { nothing, type List } from './lists';
import { say } from './words';

export async function drawConflicts(source: Source, explorer: Explorer): Promise<List> {
  const { view } = explorer, { rows: conflicts, more } = await source.conflicts();
  const cards = el('div', { class: 'conflicts' });

  function card(conflict: Conflict): HTMLElement {
    const side = (key: string, text: string) => el('div', { class: 'side' },
      el('button', { type: 'button', class: 'plain', click: () => void explorer.show([conflict.a, conflict.b], conflict.newer) }, stored(key, 60)),
      el('small', {}, key === conflict.newer ? say('newer') : say('older')),
      el('p', { class: 'stored', dir: 'auto' }, visible(text.slice(0, 2000))));
    const choose = (verdict: Record<string, unknown>) => () => explorer.propose({ operation: 'conflicts_resolve', request: {
      a: conflict.a, b: conflict.b, ...verdict,
      // Kept with an edge: a drop leaves none, and is refused with them.
      ...('drop' in verdict ? {} : { created_by: 'explorer', note: `decided ${time(Date.now())}` }),
    } });
    const choices = el('div', { class: 'actions' },
      button(say('rightWins'), choose({ supersede: conflict.a }), { 'data-choice': 'supersede-left' }),
      button(say('leftWins'), choose({ supersede: conflict.b }), { 'data-choice': 'supersede-right' }),
      button(say('keepBoth'), choose({ keep_both: true }), { 'data-choice': 'keep-both' }),
      button(say('dropLeft'), choose({ drop: conflict.a }), { 'data-choice': 'drop-left' }),
      button(say('dropRight'), choose({ drop: conflict.b }), { 'data-choice': 'drop-right' }));
    return el('article', { 'data-conflict': `${conflict.a} ${conflict.b}` },
      Number.isFinite(conflict.since) ? el('p', {}, say('conflictSince', { time: time(conflict.since) })) : null,
      el('div', { class: 'sides' }, side(conflict.a, conflict.textA), side(conflict.b, conflict.textB)),
      source.mayWrite && !view.asOf ? choices : null);
  }
  for (const conflict of conflicts) append(cards, card(conflict));
  return [`${say('conflicts')} (${conflicts.length})`, more ? el('p', {}, say('onlyFirst', { count: conflicts.length })) : null,
    conflicts.length === 0 ? nothing() : source.served && !source.mayWrite ? el('p', { class: 'hint' }, say('readOnly')) : null, cards];
}
