// The beginning: where the server needs a token, it comes first; then the search box, and the page
// after that was painted.
import { access, logIn, type Rights } from './access';
import { el, painted, replace } from './dom';
import { searchBox } from './search_box';
import { say } from './words';

const data = JSON.parse(document.getElementById('data')!.textContent!) as { server?: Rights & { token?: boolean } };

async function start(): Promise<void> {
  const place = document.getElementById('app')!;
  if (data.server?.token) await logIn(place);
  else if (data.server) Object.assign(access, { write: data.server.write, history: data.server.history });
  const box = searchBox();  // what is typed meanwhile stays in it
  replace(place, el('header', {}, el('h1', {}, say('title')), el('form', { role: 'search', submit: (event: Event) => event.preventDefault() }, box)));
  box.focus();
  await painted();
  await import('./app');
}
void start();
