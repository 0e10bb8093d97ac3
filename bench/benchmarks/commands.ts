/** Measures how long commands with little work take, from process start to exit. */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Benchmark } from '../benchmark.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { alternate, median } from '../statistics.ts';

const SECRET = 'whsec_bench';
const EVENT_TYPE = 'order.shipped';

export const commands: Benchmark = async ({ quick, rounds }) => {
  const emulator = await startProgram(programs.emulator, [':memory:', 'FULL']);
  try {
    const results = await alternate(quick ? 1 : rounds * 4, {
      node: run('-e', '0'),
      help: run(programs.svc, '--help'),
      verify: run(programs.svc, 'verify', ...signedPayload()),
      trigger: run(programs.svc, 'trigger', EVENT_TYPE, '--url', emulator.url),
      request: () => createEvent(emulator),
    });
    const node = median(results.node);
    const [help, verify, trigger] = [median(results.help), median(results.verify), median(results.trigger)];
    const request = median(results.request);
    return [
      {
        name: 'ms for svc --help',
        measured: { svc: help, node },
        ratio: { value: help / node, floor: { max: 1.45 } },
      },
      {
        name: 'ms for svc verify',
        measured: { svc: verify, node },
        ratio: { value: verify / node },
      },
      {
        name: 'ms for svc trigger, less its request',
        measured: { svc: trigger, request, node },
        ratio: { value: (trigger - request) / node, floor: { max: 2.1 } },
      },
    ];
  } finally {
    await emulator.stop();
  }
};

function run(...args: string[]): () => Promise<number> {
  return () => timed(() => execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }));
}

function signedPayload(): string[] {
  const timestamp = new Date().toISOString();
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.{}`).digest('hex');
  const given = ['--secret', SECRET, '--payload', '{}', '--timestamp', timestamp];
  return [...given, '--signature', `v1=${signature}`];
}

/** Only the request of `svc trigger`, from a running process. */
function createEvent({ url, apiKey }: RunningProgram): Promise<number> {
  return timed(async () => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ type: EVENT_TYPE });
    const answer = await fetch(`${url}/v1/events`, { method: 'POST', headers, body });
    if (answer.status !== 201) throw new Error(await answer.text());
    await answer.arrayBuffer();
  });
}

async function timed(act: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
