/** Measures how a receiver fares in `svc receiver check` and `svc receiver fuzz`. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzReport } from '../../src/receivers/fuzz/fuzz.ts';
import { checkReceiver, idsOf } from '../../test/receivers/check-receiver.ts';
import {
  type ReceiverParts,
  SECRET,
  sleep,
  startConfigurableReceiver,
} from '../../test/receivers/configurable-receiver.ts';
import type { Defect } from '../../test/receivers/defects.ts';
import { fuzzReceiver } from '../../test/receivers/fuzz/fuzz-receiver.ts';
import { startReceiver, writeReceiver } from '../../test/receivers/receiver-process.ts';
import { listen } from '../../test/support/local-server.ts';

export interface Row {
  /** The cells of the table by their title, after the name of the receiver. */
  readonly cells: Readonly<Record<string, string | number>>;
  /** What the fuzz run found; null for nothing. */
  readonly failure: FuzzReport['failure'];
}

const program = join(import.meta.dirname, '../../bin/svc.js');
const TIMEOUT_MS = 5_000;
const MAX_LIFETIME_MS = 24 * 60 * 60 * 1_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Checks a receiver, and fuzzes it with the default options and `--restart-command`. */
export async function measureDefect(
  { create, timeoutMs = TIMEOUT_MS }: Defect,
  randomSeed: number,
): Promise<Row> {
  const check = await measureSeconds(async () => {
    // Long enough to send a repeat during the work.
    await using receiver = await startConfigurableReceiver({ work: () => sleep(100), ...create() });
    return idsOf(await checkReceiver({ ...receiver, timeoutMs }), 'failed');
  });
  const fuzzRun = await measureSeconds(async () => {
    await using receiver = await startConfigurableReceiver(create());
    const { url, readSideEffects, restart } = receiver;
    return await fuzzReceiver({ url, readSideEffects, restart, timeoutMs, randomSeed });
  });
  const { failure, runs } = fuzzRun.value;
  return {
    cells: {
      'failed checks': check.value.join(', ') || 'none',
      'seconds of the checks': check.seconds,
      'broken rule': failure?.rule ?? 'none',
      runs,
      'seconds of the fuzz run': fuzzRun.seconds,
      'steps found': failure?.original_steps ?? '',
      'steps of the smallest sequence': failure?.steps.length ?? '',
    },
    failure,
  };
}

/** Fuzzes a correct receiver in this process, which is also restarted. */
export async function fuzzCorrect(
  parts: Partial<ReceiverParts>,
  runs: number,
  randomSeed: number,
): Promise<Row> {
  const { value, seconds } = await measureSeconds(async () => {
    await using receiver = await startConfigurableReceiver(parts);
    const { url, readSideEffects, restart } = receiver;
    return await fuzzReceiver({ url, readSideEffects, restart, runs, randomSeed, timeoutMs: 15_000 });
  });
  return toRow(value, seconds);
}

interface ExampleOptions {
  readonly runs: number;
  readonly randomSeed: number;
  /** Whether `--restart-command` kills the receiver and starts it again. */
  readonly restarts: boolean;
}

/** Fuzzes a receiver of `svc receiver example` with the command. */
export async function fuzzExample(
  framework: string,
  { runs, randomSeed, restarts }: ExampleOptions,
): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-receivers-'));
  await writeReceiver(framework, folder);
  const options = { secret: SECRET, folder, maxLifetimeMs: MAX_LIFETIME_MS };
  let receiver = await startReceiver(framework, options);
  const { url, sideEffectsUrl, port } = receiver;
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
      runFuzz(folder, [
        ...[
          url,
          '--secret',
          SECRET,
          '--observe',
          sideEffectsUrl,
          '--runs',
          String(runs),
          '--random-seed',
          String(randomSeed),
        ],
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

/** Runs `svc receiver fuzz --json`. Exit code 1 means that a rule was broken. */
function runFuzz(cwd: string, args: readonly string[]): Promise<FuzzReport> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, 'receiver', 'fuzz', ...args, '--json'],
      { cwd, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        if (error === null || error.code === 1) resolve(JSON.parse(stdout) as FuzzReport);
        else reject(new Error(stderr || error.message));
      },
    );
  });
}

function toRow({ failure, runs, requests }: FuzzReport, seconds: number): Row {
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
