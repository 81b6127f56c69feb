// Who asks: rights, as the server says them, and the token that stands for them. The token is kept by
// this tab, and goes to the server in a header, never in an address.
import { button, el, replace } from './dom';
import { say } from './words';

export interface Rights { write: boolean; history: boolean }

const kKept = 'plexus-token';

export const access: Rights & { token: string } = { write: false, history: false, token: '' };

export function authorization(): Record<string, string> {
  return access.token ? { Authorization: `Bearer ${access.token}` } : {};
}

export function forget(): void {
  access.token = '';
  sessionStorage.removeItem(kKept);
}

// True: the server knows the token, and `access` has its rights.
async function take(token: string): Promise<boolean> {
  access.token = token;
  const reply = await fetch('/access', { headers: authorization() });
  if (reply.status === 401) {
    forget();
    return false;
  }
  if (!reply.ok) throw new Error(`${reply.status} ${reply.statusText}`);
  Object.assign(access, await reply.json() as Rights);
  sessionStorage.setItem(kKept, token);
  return true;
}

// Ends when there is a token that the server knows: the kept one, or one that is typed into `place`.
export async function logIn(place: HTMLElement): Promise<void> {
  const kept = sessionStorage.getItem(kKept);
  if (kept && await take(kept).catch(() => false)) return;
  await new Promise<void>(done => {
    const field = el('input', { type: 'password', id: 'token', autocomplete: 'off', spellcheck: 'false', required: true });
    const status = el('p', { class: 'status', role: 'alert' }, kept ? say('tokenRefused') : '');
    const form = el('form', { class: 'login', submit: async (event: Event) => {
      event.preventDefault();
      try {
        if (await take(field.value.trim())) return done();
        replace(status, say('tokenUnknown'));
      } catch (error) {
        forget();
        replace(status, say('failed', { why: error instanceof Error ? error.message : String(error) }));
      }
      field.select();
    } }, el('h1', {}, say('title')), el('label', { for: 'token' }, say('tokenNeeded'), field),
      button(say('logIn'), () => form.requestSubmit(), { class: 'main', 'data-action': 'log-in' }), status);
    replace(place, form);
    field.focus();
  });
  replace(place);
}
