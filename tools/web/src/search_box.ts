// The search box: the one that was painted before the page was made, or a new one.
import { el } from './dom';
import { say } from './words';

export function searchBox(): HTMLInputElement {
  return document.getElementById('search') as HTMLInputElement | null ??
    el('input', { type: 'search', id: 'search', 'aria-label': say('searchLabel'), placeholder: say('searchHint'), autocomplete: 'off', spellcheck: 'false' });
}
