// Elements from values. Stored text goes in as text nodes only, never as markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, ...children);
  return element;
}

export function append(parent: Node, ...children: Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, ...children);
}

// After the next paint; in a hidden tab, which paints nothing, after a moment.
export function painted(): Promise<void> {
  return new Promise(done => {
    requestAnimationFrame(() => setTimeout(done, 0));
    setTimeout(done, 200);
  });
}

// Control characters and those that change direction, as something that is seen.
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    c => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return visible(text);
  // Not between the halves of a pair.
  const end = /[\ud800-\udbff]$/.test(text.slice(0, most)) ? most - 1 : most;
  return `${visible(text.slice(0, end))}…`;
}

// Stored text with a direction of its own.
export function stored(text: string, most = 200): HTMLElement {
  return el('bdi', { dir: 'auto', class: 'stored' }, cut(text, most));
}

export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el('button', { type: 'button', ...attributes, click }, text);
}

// A number that is no time of a calendar stays a number.
export function time(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms)) return '';
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().slice(0, 16).replace('T', ' ') : String(ms);
}

export function save(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
