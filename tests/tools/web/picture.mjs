// Pictures compared with tolerance. Two screenshots of two machines differ in every letter: fonts, and
// how edges are smoothed. So both are made small (a cell stands for 10 pixels each way), which leaves
// what is where: panels, lists, nodes, hulls, their colours. References are such small pictures, in
// pictures/; the layout draws no random numbers, so nodes are at the same places everywhere.
//   PLEXUS_PICTURES=write   makes the references anew
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kWidth = 140, kHeight = 85;
const kTolerance = 40;  // of 255, in each channel of a cell
const folder = join(dirname(fileURLToPath(import.meta.url)), 'pictures');
const file = name => join(folder, `${name}.png`);
const url = png => `data:image/png;base64,${png.toString('base64')}`;

// In a page of its own, whose canvas reads and writes PNG. `b`: none, or the other picture; the share
// of cells that differ, and the small picture of `a`.
async function measure(browser, a, b) {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async ([first, second, width, height, tolerance]) => {
      const small = async source => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [width, height];
        const context = canvas.getContext('2d', { willReadFrequently: true });
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, width, height);
        return { canvas, cells: context.getImageData(0, 0, width, height).data };
      };
      const one = await small(first), other = second ? await small(second) : one;
      let differ = 0;
      for (let at = 0; at < one.cells.length; at += 4)
        differ += [0, 1, 2].some(i => Math.abs(one.cells[at + i] - other.cells[at + i]) > tolerance);
      return { share: differ / (width * height), small: one.canvas.toDataURL('image/png') };
    }, [url(a), b && url(b), kWidth, kHeight, kTolerance]);
  } finally {
    await page.close();
  }
}

// The share of cells in which a screenshot differs from each reference: {name: share}.
export async function differences(browser, png, names) {
  const shares = {};
  for (const name of names) shares[name] = (await measure(browser, png, readFileSync(file(name)))).share;
  return shares;
}

export async function keep(browser, png, name) {
  if (!existsSync(folder)) mkdirSync(folder);
  writeFileSync(file(name), Buffer.from((await measure(browser, png)).small.split(',')[1], 'base64'));
}

export const keeps = process.env.PLEXUS_PICTURES === 'write';
