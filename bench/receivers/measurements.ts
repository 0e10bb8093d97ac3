/** Measures how a receiver fares in `svc receiver check` and `svc receiver explore`. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Framework } from '../../src/fixtures/receiver-examples.ts';
import type { ExploreReport } from '../../src/receiver/explore/explore.ts';
import { checkReceiver, idsOf } from '../../test/receiver/check-receiver.ts';
import {
  type ReceiverParts,
  SECRET,
  sleep,
  startConfigurableReceiver,
} from '../../test/receiver/configurable-receiver.ts';
import type { Defect } from '../../test/receiver/defects.ts';
import { exploreReceiver } from '../../test/receiver/explore/explore-receiver.ts';
import { startReceiver, writeReceiver } from '../../test/receivers/receiver-process.ts';
import { listen } from '../../test/support/local-server.ts';

export interface Row {
  /** The cells of the table by their title, after the name of the receiver. */
  readonly cells: Readonly<Record<string, string | number>>;
  /** What the exploration found; null for nothing. */
  readonly failure: ExploreReport['failure'];
}

const program = join(import.meta.dirname, '../../bin/svc.js');
const TIMEOUT_MS = 5_000;
const MAX_LIFETIME_MS = 24 * 60 * 60 * 1_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Checks a receiver, and explores it with the default options and `--restart-command`. */
export async function measureDefect({ create, timeoutMs = TIMEOUT_MS }: Defect, seed: number): Promise<Row> {
  const check = await measureSeconds(async () => {
    // Long enough to send a repeat during the work.
    await using receiver = await startConfigurableReceiver({ work: () => sleep(100), ...create() });
    return idsOf(await checkReceiver({ ...receiver, timeoutMs }), 'failed');
  });
  const exploration = await measureSeconds(async () => {
    await using receiver = await startConfigurableReceiver(create());
    const { url, readEffects, restart } = receiver;
    return await exploreReceiver({ url, readEffects, restart, timeoutMs, seed });
  });
  const { failure, runs } = exploration.value;
  return {
    cells: {
      'failed checks': check.value.join(', ') || 'none',
      'seconds of the checks': check.seconds,
      'broken rule': failure?.rule ?? 'none',
      runs,
      'seconds of the exploration': exploration.seconds,
      'steps found': failure?.original_steps ?? '',
      'steps of the smallest history': failure?.steps.length ?? '',
    },
    failure,
  };
}

/** Explores a correct receiver in this process, which is also restarted. */
export async function exploreCorrect(
  parts: Partial<ReceiverParts>,
  runs: number,
  seed: number,
): Promise<Row> {
  const { value, seconds } = await measureSeconds(async () => {
    await using receiver = await startConfigurableReceiver(parts);
    const { url, readEffects, restart } = receiver;
    return await exploreReceiver({ url, readEffects, restart, runs, seed, timeoutMs: 15_000 });
  });
  return toRow(value, seconds);
}

interface ExampleOptions {
  readonly runs: number;
  readonly seed: number;
  /** Whether `--restart-command` kills the receiver and starts it again. */
  readonly restarts: boolean;
}

/** Explores a receiver of `svc receiver example` with the command. */
export async function exploreExample(
  framework: Framework,
  { runs, seed, restarts }: ExampleOptions,
): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-receivers-'));
  await writeReceiver(framework, folder);
  const options = { secret: SECRET, folder, maxLifetimeMs: MAX_LIFETIME_MS };
  let receiver = await startReceiver(framework, options);
  const { url, effectsUrl, port } = receiver;
  const restarter = createServer(async (_, response) => {
    try {
      await receiver.kill();
      receiver = await startReceiver(framework, { ...options, port });
      response.end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const restartUrl = `http://127.0.0.1:${await listen(restarter)}/`;
  try {
    const { value, seconds } = await measureSeconds(() =>
      runExplore(folder, [
        ...[url, '--secret', SECRET, '--observe', effectsUrl, '--runs', String(runs), '--seed', String(seed)],
        ...(restarts ? ['--restart-command', toRequestCommand(restartUrl)] : []),
      ]),
    );
    return toRow(value, seconds);
  } finally {
    restarter.closeAllConnections();
    restarter.close();
    await receiver.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A shell command that succeeds if the URL responds with a 2xx status. */
function toRequestCommand(url: string): string {
  return `"${process.execPath}" -e "fetch('${url}').then(({ ok }) => process.exit(ok ? 0 : 1))"`;
}

/** Runs `svc receiver explore --json`. Exit code 1 means that a rule was broken. */
function runExplore(cwd: string, args: readonly string[]): Promise<ExploreReport> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, 'receiver', 'explore', ...args, '--json'],
      { cwd, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        if (error === null || error.code === 1) resolve(JSON.parse(stdout) as ExploreReport);
        else reject(new Error(stderr || error.message));
      },
    );
  });
}

function toRow({ failure, runs, requests }: ExploreReport, seconds: number): Row {
  const result = failure === null ? 'none' : `${failure.rule}: ${failure.message}`;
  return { cells: { runs, deliveries: requests, seconds, 'false alarm': result }, failure };
}

async function measureSeconds<Value>(
  run: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly seconds: number }> {
  const startedAt = performance.now();
  const value = await run();
  return { value, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
}
