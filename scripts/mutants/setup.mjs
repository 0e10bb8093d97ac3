// Runs before each test file of npm run test:mutants: switches the mutant on, and records which mutants the file reaches.
import { appendFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterAll, expect } from 'vitest';

const { TEST_MUTANT: active, TEST_MUTANT_LOG: log, TEST_MUTANT_LIMIT_MS: limitMs } = process.env;
const reached = new Set();
globalThis.__mutant = (id) => {
  reached.add(id);
  return id === Number(active);
};
afterAll(async () => {
  await killer.terminate();
  const { testPath } = expect.getState();
  appendFileSync(log, `${JSON.stringify({ path: testPath, reached: [...reached] })}\n`);
});
// Ends this process if the mutant is an endless loop. In a worker, because the loop blocks the timers of this thread.
const kill = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${limitMs})`;
const killer = new Worker(kill, { eval: true });
killer.unref();
