// Conflicts, side by side: supersede one side, drop one, or keep both. A choice is a dry run first;
// it is written when the user says so, and only if nothing was written in between.
import { append, button, el, replace, stored, time, visible } from './dom';
import type { Choice, Conflict } from './types';
import type { Explorer } from './explorer';
import { say } from './words';

function changes(reply: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const what of ['nodes', 'edges', 'index']) {
    const counts = reply[what] as Record<string, number> | undefined;
    for (const [name, count] of Object.entries(counts ?? {})) if (count && name !== 'same') parts.push(`${count} ${what} ${name}`);
  }
  for (const name of ['linked', 'ended', 'dropped']) if (reply[name]) parts.push(`${String(reply[name])} ${name}`);
  return parts.join(', ') || '—';
}

export async function drawConflicts(list: HTMLElement, explorer: Explorer): Promise<void> {
  const { source, view } = explorer;
  const conflicts = await source.conflicts(view.asOf);
  const cards = el('div', { class: 'conflicts' });

  function card(conflict: Conflict): HTMLElement {
    const side = (key: string, text: string) => el('div', { class: 'side' },
      el('button', { type: 'button', class: 'plain', click: () => void explorer.showConflict(conflict) }, stored(key, 60)),
      el('small', {}, key === conflict.newer ? say('newer') : say('older')),
      el('p', { class: 'stored', dir: 'auto' }, visible(text.slice(0, 2000))));
    const outcome = el('div', { class: 'outcome', role: 'status' });
    const choose = (choice: Choice) => () => void explorer.run(async () => {
      // The sequence that the dry run saw.
      const { sequence } = await source.status();
      const would = await source.resolve(conflict, choice, true, sequence);
      replace(outcome, say('wouldChange', { what: changes(would) }),
        button(say('write'), () => void explorer.run(async () => {
          await source.resolve(conflict, choice, false, sequence);
          explorer.say(say('written'));
          await explorer.setTime('');
          await drawConflicts(list, explorer);
        }), { class: 'main', 'data-action': 'write' }),
        button(say('cancel'), () => replace(outcome)));
    });
    const choices = el('div', { class: 'actions' },
      button(say('rightWins'), choose({ verb: 'supersede', key: conflict.a }), { 'data-choice': 'supersede-left' }),
      button(say('leftWins'), choose({ verb: 'supersede', key: conflict.b }), { 'data-choice': 'supersede-right' }),
      button(say('keepBoth'), choose({ verb: 'keep_both' }), { 'data-choice': 'keep-both' }),
      button(say('dropLeft'), choose({ verb: 'drop', key: conflict.a }), { 'data-choice': 'drop-left' }),
      button(say('dropRight'), choose({ verb: 'drop', key: conflict.b }), { 'data-choice': 'drop-right' }));
    return el('article', { 'data-conflict': `${conflict.a} ${conflict.b}` },
      Number.isFinite(conflict.since) ? el('p', {}, say('conflictSince', { time: time(conflict.since) })) : null,
      el('div', { class: 'sides' }, side(conflict.a, conflict.textA), side(conflict.b, conflict.textB)),
      source.mayWrite && !view.asOf ? choices : null, outcome);
  }
  for (const conflict of conflicts) append(cards, card(conflict));
  replace(list, el('h2', { 'aria-live': 'polite' }, `${say('conflicts')} (${conflicts.length})`),
    conflicts.length === 0 ? el('p', {}, say('nothing')) : source.served && !source.mayWrite ? el('p', { class: 'hint' }, say('readOnly')) : null, cards);
}
