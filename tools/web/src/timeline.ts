// The time slider: a position for each batch of the graph; the last one is the present.
import { el, time } from './dom';
import type { Batch } from './types';
import type { Explorer } from './explorer';
import { say } from './words';

export function makeTimeline(explorer: Explorer): HTMLElement {
  const { view, source } = explorer;
  const slider = el('input', { type: 'range', min: 0, max: 0, value: 0, step: 1, id: 'time', 'aria-label': say('timeLabel') });
  const shown = el('output', { for: 'time' }, say('now'));
  const root = el('div', { class: 'timeline', hidden: true }, el('label', { for: 'time' }, say('timeLabel')), slider, shown);
  let batches: Batch[] = [];

  const label = () => {
    const batch = batches[Number(slider.value)];
    const last = Number(slider.value) >= batches.length - 1;
    const text = !batch || last ? say('now') : say('timeAt', { sequence: batch.sequence, time: time(batch.timeMs) });
    shown.textContent = text;
    slider.setAttribute('aria-valuetext', text);
  };
  // While one step is asked for, only the latest position waits.
  let busy = false;
  const go = async () => {
    if (busy) return;
    busy = true;
    for (let at = -1; at !== Number(slider.value);) {
      at = Number(slider.value);
      await explorer.setTime(at >= batches.length - 1 ? '' : String(batches[at]!.sequence));
    }
    busy = false;
  };
  slider.addEventListener('input', () => {
    label();
    void go();
  });
  view.on(['content'], () => {
    const at = view.asOf ? batches.findIndex(batch => String(batch.sequence) === view.asOf) : batches.length - 1;
    if (!busy && at >= 0 && at !== Number(slider.value)) {
      slider.value = String(at);
      label();
    }
  });
  if (source.served)
    source.batches().then(found => {
      batches = found;
      slider.max = String(Math.max(0, batches.length - 1));
      const at = view.asOf ? batches.findIndex(batch => String(batch.sequence) === view.asOf) : batches.length - 1;
      slider.value = String(at < 0 ? batches.length - 1 : at);
      root.hidden = batches.length < 2;
      label();
    }, () => { root.hidden = true; }); // behind a scope there is no log
  return root;
}
