// The time slider: a position for each batch of the graph; the last one is the present.
import { el, time } from './dom';
import type { Batch } from './types';
import type { Explorer } from './explorer';
import { say } from './words';

export function makeTimeline(explorer: Explorer): HTMLElement {
  const { view, source } = explorer;
  const slider = el('input', { type: 'range', min: 0, max: 0, value: 0, step: 1, id: 'time', 'aria-label': say('timeLabel') });
  const shown = el('output', { for: 'time' }, say('now')), cut = el('small', { hidden: true });
  const root = el('div', { class: 'timeline', hidden: true }, el('label', { for: 'time' }, say('timeLabel')), cut, slider, shown);
  let batches: Batch[] = [];
  const wanted = () => (Number(slider.value) >= batches.length - 1 ? '' : String(batches[Number(slider.value)]!.sequence));

  const label = (asOf: string) => {
    const batch = batches.find(one => String(one.sequence) === asOf);
    const text = asOf ? say('timeAt', { sequence: asOf, time: time(batch?.timeMs) || say('older') }) : say('now');
    shown.textContent = text;
    slider.setAttribute('aria-valuetext', text);
  };
  // What is shown: not where the slider was moved to, if that failed. Before all batches: the left end.
  const follow = () => {
    slider.max = String(Math.max(0, batches.length - 1));
    slider.value = String(view.asOf ? Math.max(0, batches.findIndex(batch => String(batch.sequence) === view.asOf)) : batches.length - 1);
    label(view.asOf);
  };
  // While one step is asked for, only the latest position waits.
  let busy = false;
  slider.addEventListener('input', async () => {
    label(wanted());
    if (busy) return;
    busy = true;
    for (let asOf: string | null = null; asOf !== wanted();) await explorer.setTime(asOf = wanted());
    busy = false;
    follow();
  });
  view.on(['content'], () => { if (!busy) follow(); });

  const read = async () => {
    const found = await source.batches();
    batches = found.rows;
    root.hidden = batches.length < 2;
    cut.hidden = !found.more;
    cut.textContent = say('onlyNewest', { count: batches.length });
    if (!busy) follow();
  };
  const again = () => void read().catch(() => { root.hidden = true; }); // behind a scope there is no log
  if (source.served) again();
  explorer.onWrite = again;
  return root;
}
