// The beginning: where the server needs a token, it comes first; the page is made after that.
import { access, logIn, type Rights } from './access';

const data = JSON.parse(document.getElementById('data')!.textContent!) as { server?: Rights & { token?: boolean } };

async function start(): Promise<void> {
  if (data.server?.token) await logIn(document.getElementById('app')!);
  else if (data.server) Object.assign(access, { write: data.server.write, history: data.server.history });
  await import('./app');
}
void start();
