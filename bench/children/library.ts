/** Measures the library inside a test process and prints one line of JSON. Requires --expose-gc. */
import { createEmulator, createReceiver, type Emulator } from '../../src/index.ts';
import { median } from '../statistics.ts';

/** Emulators before the measurement. */
const WARM_UP = 5;
const FURTHER = 40;
const WORKSPACES = 200;

const receiver = await createReceiver();

async function createAndDeliver() {
  const seen = receiver.requests.length;
  const startedAt = performance.now();
  const emulator = await createEmulator();
  const createdMs = performance.now() - startedAt;
  await emulator.webhooks.create({ url: receiver.url });
  await emulator.trigger('order.shipped', {});
  await receiver.waitFor(seen + 1, { timeout: 30_000 });
  return { emulator, createdMs, deliveredMs: performance.now() - startedAt };
}

async function repeat<Result>(times: number, act: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; i < times; i++) results.push(await act());
  return results;
}

function residentBytes(): number {
  global.gc?.();
  return process.memoryUsage.rss();
}

async function timeWorkspace(emulator: Emulator): Promise<number> {
  const startedAt = performance.now();
  await emulator.createWorkspace({ clock: { frozen: true } });
  return performance.now() - startedAt;
}

const first = await createAndDeliver();
const warm = await repeat(WARM_UP, createAndDeliver);
const before = residentBytes();
const further = await repeat(FURTHER, createAndDeliver);
const bytesEach = (residentBytes() - before) / FURTHER;
const workspaces = await repeat(WORKSPACES, () => timeWorkspace(first.emulator));
const costs = {
  firstMs: first.deliveredMs,
  furtherMs: median(further.map(({ createdMs }) => createdMs)),
  furtherDeliveredMs: median(further.map(({ deliveredMs }) => deliveredMs)),
  furtherMegabytes: bytesEach / 1e6,
  workspaceMs: median(workspaces),
};
export type LibraryCosts = typeof costs;
process.stdout.write(JSON.stringify(costs));
await Promise.all([first, ...warm, ...further].map(({ emulator }) => emulator.close()));
await receiver.close();
