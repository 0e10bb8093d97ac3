// npm run screenshots: the pictures of the README and of docs/dashboard.md, of a real emulator with real deliveries, in
// the Chromium that is installed. Look at them before you commit them.
// npm run screenshots -- home deliveries: only these.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createEmulator, createReceiver } from '../dist/index.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const pictures = join(root, 'docs/images');
const TYPES = [
  'order.created',
  'order.shipped',
  'invoice.paid',
  'user.created',
  'payment.failed',
  'order.delivered',
];
const BROWSER_FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** Each with the fragment of its URL, where `ID` is that of a failing delivery. The first one is also the first in README.md. */
const PAGES = {
  deliveries: { hash: '/deliveries/ID' },
  'deliveries-dark': { hash: '/deliveries/ID', colorScheme: 'dark' },
  signature: { hash: '/deliveries/ID?tab=signature', from: 'Signature' },
  home: { hash: '/home', steps: 2 },
};

const names = process.argv.slice(2);
const isWanted = (name) => names.length === 0 || names.includes(name);

mkdirSync(pictures, { recursive: true });
const pages = Object.entries(PAGES).filter(([name]) => isWanted(name));
if (pages.length > 0) await takePictures();

async function takePictures() {
  const emulator = await createEmulator({ randomSeed: 7 });
  const shop = await createReceiver(200);
  const legacy = await createReceiver({ status: 503, body: '{"error":"no connection to the database"}' });
  const failing = await createEvents(emulator, { shop, legacy });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? findChromium(),
    args: BROWSER_FLAGS,
  });
  try {
    for (const [name, { hash, ...options }] of pages) {
      const fragment = hash.replace('ID', failing.id);
      await takePicture(browser, `${emulator.url}/#${fragment}`, join(pictures, `${name}.png`), options);
    }
  } finally {
    await Promise.all([browser, emulator, shop, legacy].map((each) => each.close()));
  }
}

/** Creates the events of a working day in the emulator. @returns a delivery that keeps failing */
async function createEvents(emulator, { shop, legacy }) {
  await emulator.webhooks.create({ url: `${shop.url}/webhooks`, events: ['*'] });
  await emulator.webhooks.create({ url: `${legacy.url}/legacy/hooks`, events: ['order.shipped'] });
  for (let index = 0; index < 40; index++) {
    await emulator.trigger(TYPES[index % TYPES.length]);
    await emulator.clock.advance('3m');
  }
  await emulator.trigger('order.shipped');
  await emulator.clock.advance('40m');
  const [failing] = await emulator.deliveries.list({ type: 'order.shipped', status: 'failing' });
  return failing;
}

/** @param options.from the tab that is scrolled to the top @param options.steps how many due times the line is moved */
async function takePicture(browser, url, file, options) {
  const { colorScheme = 'light', from, steps = 0 } = options;
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme,
    deviceScaleFactor: 1.5,
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  if (from) await page.getByRole('tab', { name: from }).evaluate((tab) => tab.scrollIntoView());
  if (steps > 0) await page.getByRole('slider').focus();
  for (let step = 0; step < steps; step++) await page.keyboard.press('ArrowRight');
  // Until animations have ended.
  await pause(500);
  await page.screenshot({ path: file });
  await context.close();
}

/** The first one that is installed. */
function findChromium() {
  const { stdout } = spawnSync('which', ['chromium', 'chromium-headless-shell'], { encoding: 'utf8' });
  return stdout.split('\n')[0];
}
