// A write is a dry run first; it is written when the user says so, and only if nothing was written in
// between.
import { button, replace } from './dom';
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

// Says in `box` what the operation would change, with a button that writes it.
export function propose(explorer: Explorer, box: HTMLElement, operation: string, request: Record<string, unknown>): void {
  void explorer.ask(explorer.changes, async source => {
    // The sequence that the dry run saw, or an earlier one.
    const { sequence } = await source.status();
    const would = await source.write(operation, request);
    replace(box, say('wouldChange', { what: changes(would) }),
      button(say('write'), () => {
        replace(box);
        void explorer.write(operation, request, sequence);
      }, { class: 'main', 'data-action': 'write' }),
      button(say('cancel'), () => replace(box)));
  });
}
