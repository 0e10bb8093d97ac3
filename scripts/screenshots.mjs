// npm run screenshots: the pictures of the README and of docs/dashboard.md, of a real emulator with real deliveries, in
// the Chromium and the tmux that are installed. Look at them before you commit them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createEmulator, createReceiver } from '../dist/index.js';
import { toHtml } from './terminal-picture.mjs';

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

mkdirSync(pictures, { recursive: true });
const emulator = await createEmulator({ randomSeed: 7 });
const shop = await createReceiver(200);
const legacy = await createReceiver({ status: 503, body: '{"error":"no connection to the database"}' });
const failing = await createEvents();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
  args: BROWSER_FLAGS,
});
try {
  await picture('overview', '/overview?clock=schedule&period=1h', { width: 1440, height: 900 });
  await picture('deliveries', `/deliveries/${failing.id}`, { width: 1440, height: 900 });
  await picture('deliveries-dark', `/deliveries/${failing.id}`, {
    width: 1440,
    height: 900,
    colorScheme: 'dark',
  });
  await picture('signature', `/deliveries/${failing.id}?tab=signature`, {
    width: 1440,
    height: 900,
    from: 'Signature',
  });
  await picture('endpoint', `/webhooks/${failing.webhook_id}`, { width: 1280, height: 800 });
  await pictureOfTerminal();
} finally {
  await Promise.all([browser, emulator, shop, legacy].map((each) => each.close()));
}

/** Creates the events of a working day in the emulator. @returns a delivery that keeps failing */
async function createEvents() {
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

/**
 * @param hash the fragment of the URL
 * @param options.from the tab that is scrolled to the top
 */
async function picture(name, hash, { colorScheme = 'light', from, ...viewport }) {
  const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await page.goto(`${emulator.url}/#${hash}`);
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  if (from) await page.getByRole('tab', { name: from }).evaluate((tab) => tab.scrollIntoView());
  // Until animations have ended.
  await pause(500);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await context.close();
}

/** `svc deliveries tail` in a terminal of 100 columns, shortly after a few events. */
async function pictureOfTerminal() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-screenshots-'));
  const server = `svc-screenshots-${process.pid}`;
  const tmux = (...args) => execFileSync('tmux', ['-u', '-L', server, ...args], { encoding: 'utf8' });
  try {
    const command = `node ${join(root, 'bin/svc.js')} deliveries tail --url ${emulator.url} --since 3h`;
    const session = ['new-session', '-d', '-x', '100', '-y', '24', '-c', folder, command];
    const tmuxProcess = spawn('tmux', ['-u', '-L', server, '-f', '/dev/null', ...session], {
      env: { ...process.env, TERM: 'xterm-256color' },
    });
    await once(tmuxProcess, 'exit');
    // Until the view shows the attempts, and then the selected row.
    await pause(2_000);
    tmux('send-keys', 'Down');
    await pause(1_000);
    const context = await browser.newContext({ viewport: { width: 900, height: 560 }, deviceScaleFactor: 2 });
    const page = await context.newPage();
    await page.setContent(toHtml(tmux('capture-pane', '-p', '-e')));
    await page.locator('pre').screenshot({ path: join(pictures, 'terminal.png') });
    await context.close();
  } finally {
    tmux('kill-server');
    rmSync(folder, { recursive: true, force: true });
  }
}
