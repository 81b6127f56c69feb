// What writes: a dry run first; it is written when the user says so, and only if nothing was written
// in between. One proposal is open at most, at one place of the page.
import { append, button, el, replace } from './dom';
import type { Explorer } from './explorer';
import { say, term } from './words';

function changes(reply: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const what of ['nodes', 'edges', 'index', 'events', 'outcomes']) {
    const counts = reply[what] as Record<string, number> | undefined;
    for (const [name, count] of Object.entries(counts ?? {})) if (count && name !== 'same') parts.push(say('countOf', { count, what: term(what), how: term(name) }));
  }
  for (const name of ['ended', 'dropped']) if (reply[name]) parts.push(`${String(reply[name])} ${term(name)}`);
  return parts.join(', ') || '—';
}

export function makeProposal(explorer: Explorer): HTMLElement {
  const box = el('div', { class: 'outcome', role: 'status' });
  explorer.propose = write => void explorer.ask(explorer.changes, async source => {
    replace(box);
    // The sequence that the dry run saw, or an earlier one.
    const { sequence } = await source.status();
    const would = await source.write(write);
    replace(box, say('wouldChange', { what: changes(would) }),
      button(say('write'), () => {
        replace(box);
        void explorer.write(write, sequence);
      }, { class: 'main', 'data-action': 'write' }),
      button(say('cancel'), () => replace(box)));
  });
  // A proposal is about the present, as it was when it was made.
  explorer.view.on(['time'], () => replace(box));
  return box;
}

let opened = false;  // the next node's is as this one's was left

// What can be written about a node of the present.
export function nodeWrites(explorer: Explorer, key: string, other: string): HTMLElement | null {
  const { view, source } = explorer;
  if (!source.mayWrite || view.asOf) return null;
  const kinds = new Set(['supersedes', 'supports', 'contradicts', 'refines', 'depends_on', ...[...view.edges.values()].map(edge => edge.kind)]);
  const choices = (id: string, values: Iterable<string>) => el('datalist', { id }, ...[...values].slice(0, 200).map(value => el('option', { value })));
  const kind = el('input', { type: 'text', list: 'kinds-known', required: true, spellcheck: 'false', 'data-write': 'kind' });
  const target = el('input', { type: 'text', list: 'keys-shown', required: true, spellcheck: 'false', 'data-write': 'target', value: other });
  return el('details', { class: 'writes', open: opened, toggle: (event: Event) => { opened = (event.target as HTMLDetailsElement).open; } }, el('summary', {}, say('change')),
    el('form', { submit: (event: Event) => {
      event.preventDefault();
      explorer.propose({ operation: 'link', request: { source: key, kind: kind.value, target: target.value, created_by: 'explorer' } });
    } }, el('label', {}, say('linkKind'), kind), el('label', {}, say('linkTarget'), target),
    choices('kinds-known', kinds), choices('keys-shown', view.nodes.keys()), el('button', { type: 'submit', 'data-action': 'link-node' }, say('link'))),
    button(say('forget'), () => explorer.propose({ operation: 'remove', request: { key } }), { 'data-action': 'forget' }));
}

const kOutcomes = ['helpful', 'success', 'accepted', 'user_promoted', 'unhelpful', 'dead_end', 'wrong', 'failed', 'rejected', 'user_demoted'];

// An outcome of an event: chosen, then proposed.
export function labelChoice(explorer: Explorer, event: string): HTMLElement | null {
  if (!explorer.source.mayWrite || explorer.view.asOf) return null;
  const choice: HTMLSelectElement = el('select', { 'aria-label': say('addOutcome'), 'data-outcome': event, change: () => {
    if (choice.value) explorer.propose({ operation: 'ledger_label', request: { event, type: choice.value } });
    choice.value = '';
  } });
  append(choice, el('option', { value: '' }, say('addOutcome')), ...kOutcomes.map(name => el('option', { value: name }, name)));
  return choice;
}
