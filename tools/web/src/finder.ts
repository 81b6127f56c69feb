// Where a look at the graph begins: the search box, the other starts, and the list of results.
import { append, button, el, replace, stored } from './dom';
import type { Hit, Source } from './types';
import type { Explorer } from './explorer';
import { drawConflicts } from './conflicts';
import { drawBlocked, drawCommunities, drawFrontier, drawLedger, type List } from './lists';
import { searchBox } from './search_box';
import { say } from './words';

type Mode = 'words' | 'key' | 'similar';

export function makeFinder(explorer: Explorer): { box: HTMLElement; list: HTMLElement; open: (start: string) => void } {
  const { view, source } = explorer;
  // The heading stays, so that a screen reader says its new text.
  const heading = el('h2', { 'aria-live': 'polite' }, say('results')), content = el('div');
  const list = el('section', { class: 'results', 'aria-label': say('results') }, heading, content);
  const text = searchBox();
  const mode = el('select', { 'aria-label': say('modeLabel'), id: 'mode' },
    el('option', { value: 'words' }, say('modeWords')), el('option', { value: 'key' }, say('modeKey')),
    source.served && el('option', { value: 'similar' }, say('modeSimilar')));

  // A list replaces the last one when it is there; a later question ends the one before.
  type Draw = (source: Source, explorer: Explorer) => Promise<List>;
  let last: Draw | null = null;
  const draw = (what: Draw, again = true) => {
    last = again ? what : null;
    explorer.lists.cancel();
    void explorer.ask(explorer.lists, async source => {
      const [title, ...rows] = await what(source, explorer);
      heading.textContent = title;
      replace(content, ...rows);
      performance.mark('plexus-list');
    });
  };
  view.on(['time'], () => last && draw(last));

  const find = (ask: (source: Source) => Promise<Hit[]>) => draw(async source => {
    const hits = explorer.hits = await ask(source), rows = el('ol');
    explorer.event = undefined;
    explorer.start = '';
    for (const hit of hits)
      append(rows, el('li', { class: hit.supersededBy ? 'superseded' : undefined },
        el('button', { type: 'button', class: 'hit', 'data-key': hit.key, click: () => void explorer.show([hit.key], hit.key), dblclick: () => void explorer.expand(hit.key) },
          el('span', { class: 'name' }, stored(hit.line || hit.key, 120)),
          el('span', { class: 'about' }, stored(hit.kind, 30), ` · `, stored(hit.key, 40), hit.why ? ' · ' : '', hit.why ? stored(hit.why, 160) : null))));
    void explorer.show(hits.map(hit => hit.key), hits[0]?.key);
    return [hits.length ? say('resultCount', { count: hits.length }) : say('nothing'), rows];
  }, false);
  const search = () => {
    const value = text.value.trim();
    if (!value) return;
    const how = mode.value as Mode;
    find(from => (how === 'words' ? from.words(value) : how === 'key' ? from.byKey(value) : from.similar(value)));
  };
  const lists = { communities: drawCommunities, frontier: drawFrontier, conflicts: drawConflicts, blocked: drawBlocked, ledger: drawLedger };
  type Start = keyof typeof lists;
  const open = (start: string) => {
    if (!Object.hasOwn(lists, start)) return;
    explorer.start = start;
    draw(lists[start as Start]);
  };
  const startButton = (start: Start) => button(say(start), () => open(start), { 'data-start': start });
  const starts = el('div', { class: 'starts', role: 'group', 'aria-label': say('modeLabel') },
    button(say('important'), () => find(from => from.important()), { 'data-start': 'important' }),
    source.served && startButton('communities'), source.served && startButton('frontier'), startButton('conflicts'),
    source.served && startButton('blocked'), source.served && startButton('ledger'));
  const box = el('form', { role: 'search', submit: (event: Event) => {
    event.preventDefault();
    search();
  } }, text, mode, el('button', { type: 'submit', class: 'main' }, say('go')), starts);

  view.on(['selection'], () => {
    for (const row of list.querySelectorAll<HTMLElement>('li')) {
      const chosen = row.querySelector<HTMLElement>('[data-key]')?.dataset.key === view.selected && view.selected !== '';
      if (chosen) row.setAttribute('aria-current', 'true');
      else row.removeAttribute('aria-current');
    }
  });
  list.addEventListener('keydown', event => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const rows = [...list.querySelectorAll<HTMLElement>('button')], at = rows.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    rows[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
  });
  return { box, list, open };
}
