// Runs before each test file of npm run test:mutants: switches the mutant on, and records which mutants the file reaches.
import { appendFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterAll, expect } from 'vitest';

const { TEST_MUTANT: active, TEST_MUTANT_LOG: log, TEST_MUTANT_LIMIT_MS: limitMs } = process.env;
const reached = new Set();
const { testPath } = expect.getState();
if (/[\\/]test[\\/]browser[\\/]/.test(testPath)) await switchInPages();
globalThis.__mutant = (id) => {
  reached.add(id);
  return id === Number(active);
};
afterAll(async () => {
  await killer.terminate();
  appendFileSync(log, `${JSON.stringify({ path: testPath, reached: [...reached] })}\n`);
});
// Ends this process if the mutant is an endless loop. In a worker, because the loop blocks the timers of this thread.
const kill = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${limitMs})`;
const killer = new Worker(kill, { eval: true });
killer.unref();

/** Switches the mutant on in each page that a browser test opens. */
async function switchInPages() {
  const { chromium } = await import('playwright-core');
  // The test files of a worker share one browser.
  if (Object.hasOwn(chromium, 'launch')) return;
  const launch = chromium.launch.bind(chromium);
  chromium.launch = async (options) => {
    const browser = await launch(options);
    const newContext = browser.newContext.bind(browser);
    browser.newContext = async (contextOptions) => {
      const context = await newContext(contextOptions);
      await context.exposeBinding('__reach', (_, id) => reached.add(id));
      await context.addInitScript(`{
        const reached = new Set();
        globalThis.__mutant = (id) => {
          if (!reached.has(id)) __reach(id);
          reached.add(id);
          return id === ${active};
        };
      }`);
      return context;
    };
    return browser;
  };
}
