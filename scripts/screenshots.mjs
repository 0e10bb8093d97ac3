// npm run screenshots: the pictures of the README and of docs/dashboard.md, of a real emulator with real deliveries, in
// the Chromium that is installed. Look at them before you commit them.
// npm run screenshots -- home deliveries: only these. `home` is a recording of the line that advances the clock.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createEmulator, createReceiver } from '../dist/index.js';
import { encodeAnimatedPng } from './animated-png.mjs';

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
};

const names = process.argv.slice(2);
const isWanted = (name) => names.length === 0 || names.includes(name);

mkdirSync(pictures, { recursive: true });
const pages = Object.entries(PAGES).filter(([name]) => isWanted(name));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? findChromium(),
  args: BROWSER_FLAGS,
});
try {
  if (pages.length > 0) await takePictures();
  if (isWanted('home')) await recordDrag(join(pictures, 'home.png'));
} finally {
  await browser.close();
}

async function takePictures() {
  const emulator = await createEmulator({ randomSeed: 7 });
  const shop = await createReceiver(200);
  const legacy = await createReceiver({ status: 503, body: '{"error":"no connection to the database"}' });
  const failing = await createEvents(emulator, { shop, legacy });
  try {
    for (const [name, { hash, ...options }] of pages) {
      const fragment = hash.replace('ID', failing.id);
      await takePicture(`${emulator.url}/#${fragment}`, join(pictures, `${name}.png`), options);
    }
  } finally {
    await Promise.all([emulator, shop, legacy].map((each) => each.close()));
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

/** @param options.from the tab that is scrolled to the top */
async function takePicture(url, file, { colorScheme = 'light', from }) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme,
    deviceScaleFactor: 1.5,
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  if (from) await page.getByRole('tab', { name: from }).evaluate((tab) => tab.scrollIntoView());
  // Until animations have ended.
  await pause(500);
  await page.screenshot({ path: file });
  await context.close();
}

/** Records how the line is dragged to retries of two endpoints, and how they succeed or fail when the clock has advanced. */
async function recordDrag(file) {
  const emulator = await createEmulator({ clock: { frozen: true } });
  const receivers = await Promise.all([200, 503, 503].map((status) => createReceiver(status)));
  const [shop, billing, legacy] = receivers;
  try {
    await emulator.webhooks.create({ url: `${shop.url}/webhooks`, events: ['*'] });
    await emulator.webhooks.create({ url: `${billing.url}/billing/webhooks`, events: ['invoice.paid'] });
    await emulator.webhooks.create({ url: `${legacy.url}/legacy/hooks`, events: ['order.shipped'] });
    for (let index = 0; index < 12; index++) {
      await emulator.trigger(index % 2 === 0 ? 'invoice.paid' : 'order.shipped');
      await emulator.clock.advance('2m');
    }
    billing.respond(200);
    const page = await browser.newPage({ viewport: { width: 1280, height: 380 }, deviceScaleFactor: 1.5 });
    await page.goto(`${emulator.url}/#/home`);
    const slider = page.getByRole('slider');
    await slider.waitFor();
    await page.evaluate(showPointer);
    const frames = [];
    const capture = async (ms) => frames.push({ png: await page.screenshot({ caret: 'hide' }), ms });
    /** Moves the pointer along a straight line. @param ms of each frame */
    const move = async (from, to, steps, ms) => {
      for (let step = 1; step <= steps; step++) {
        const part = (1 - Math.cos((Math.PI * step) / steps)) / 2;
        await page.mouse.move(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
        await capture(ms);
      }
    };
    const start = await findMiddle(slider);
    const end = await findMiddle(page.getByRole('button', { name: '30m' }).last());
    await page.mouse.move(start.x, start.y);
    await capture(1_200);
    await page.mouse.down();
    await move(start, end, 14, 70);
    await page.mouse.up();
    await capture(1_500);
    const button = await findMiddle(page.getByRole('button', { name: /^Advance \d/ }));
    await move(end, button, 6, 60);
    await capture(400);
    await page.mouse.click(button.x, button.y);
    await page.getByText(/^\d+ attempts: /).waitFor();
    await capture(2_500);
    await page.getByText('Drag the line').waitFor();
    await capture(1_500);
    writeFileSync(file, encodeAnimatedPng(frames));
    await page.close();
  } finally {
    await Promise.all([emulator, ...receivers].map((each) => each.close()));
  }
}

async function findMiddle(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
}

/** Runs in the page: draws the pointer, which a screenshot does not contain. */
function showPointer() {
  const pointer = document.body.appendChild(document.createElement('div'));
  Object.assign(pointer.style, {
    position: 'fixed',
    zIndex: 100,
    width: '12px',
    height: '18px',
    background: '#111',
    clipPath: 'polygon(0 0, 0 85%, 30% 65%, 52% 100%, 70% 92%, 50% 60%, 95% 60%)',
    pointerEvents: 'none',
  });
  addEventListener('pointermove', ({ clientX, clientY }) => {
    Object.assign(pointer.style, { left: `${clientX}px`, top: `${clientY}px` });
  });
}

/** The first one that is installed. */
function findChromium() {
  const { stdout } = spawnSync('which', ['chromium', 'chromium-headless-shell'], { encoding: 'utf8' });
  return stdout.split('\n')[0];
}
