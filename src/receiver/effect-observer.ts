/** Reads the effect count from a URL that returns `{"count": n}` or `{"ids": […]}`, or from a command that prints that or the number. */
import { type ExecException, exec } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { formatDuration } from '../domain/duration.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { startPolicyRequest } from '../network/address-policy.ts';
import { abortAfter } from '../timers.ts';
import { createProcessGuard, type ProcessGuard } from '../watchdog/process-guard.ts';
import { describeConnectionProblem } from './receiver-client.ts';

/** Returns the number of effects so far. @throws SvcError `usage` if it cannot be read */
export type CountEffects = () => Promise<number>;

export interface EffectObserver {
  readonly countEffects: CountEffects;
  /** Terminates running commands and their descendants. */
  close(): Promise<void>;
}

const READ_TIMEOUT_MS = 10_000;
/** Maximum number of characters to read. A count is shorter. */
const RESPONSE_LIMIT = 64 * 1024;
const HINT =
  'Return {"count": n} or {"ids": […]} from the URL, or print that object or only the number from the command.';

export interface EffectObserverOptions {
  /** Working folder of a command. */
  readonly cwd: string;
  /** Which URLs are allowed, as for deliveries (gap `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Aborts a read that is in progress. */
  readonly signal: AbortSignal;
}

/** @param source an `http` or `https` URL; anything else is a shell command */
export function createEffectObserver(source: string, options: EffectObserverOptions): EffectObserver {
  const shell = new GuardedShell();
  const isUrl = /^https?:\/\//i.test(source);
  return {
    async countEffects() {
      const deadline = abortAfter(READ_TIMEOUT_MS);
      const readOptions = { ...options, signal: AbortSignal.any([options.signal, deadline]) };
      try {
        const text = await (isUrl ? readUrl(source, readOptions) : shell.read(source, readOptions));
        const count = parseCount(text);
        if (count !== null) return count;
        throw createObserverError(
          `${source} returned ${JSON.stringify(text.trim().slice(0, 80))} instead of a count.`,
        );
      } catch (error) {
        if (error instanceof SvcError) throw error;
        const problem = deadline.aborted
          ? `no response within ${formatDuration(READ_TIMEOUT_MS)}`
          : describeReadProblem(error as Error);
        throw createObserverError(`Could not read a count from ${source}: ${problem}.`);
      }
    },
    close: () => shell.close(),
  };
}

async function readUrl(url: string, { urlRule: rule, signal }: EffectObserverOptions): Promise<string> {
  const request = startPolicyRequest(url, { rule, signal, method: 'GET' }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { statusCode = 0 } = response.setEncoding('utf8');
  if (statusCode < 200 || statusCode > 299) {
    response.destroy();
    throw new Error(`it responded with status ${statusCode}`);
  }
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    if (text.length > RESPONSE_LIMIT) break;
  }
  return text;
}

/** Runs shell commands in this process group, so that `sudo` and `ssh` find the terminal. They end with this process. */
class GuardedShell {
  #guard: ProcessGuard | null = null;

  /** @returns the standard output of the command */
  async read(command: string, { cwd, signal }: EffectObserverOptions): Promise<string> {
    this.#guard ??= await createProcessGuard(process.env);
    const execution = this.#guard.start('shared', () => {
      const started = promisify(exec)(command, { cwd, signal });
      return Object.assign(started, { pid: started.child.pid });
    });
    try {
      return (await execution).stdout;
    } finally {
      // An aborted command may have left child processes: keep guarding them.
      if (!signal.aborted) this.#guard.release(execution);
    }
  }

  async close(): Promise<void> {
    await this.#guard?.terminate();
  }
}

function parseCount(text: string): number | null {
  try {
    const value: unknown = JSON.parse(text);
    const { ids } = Object(value);
    if (Array.isArray(ids)) return ids.length;
    const count = typeof value === 'number' ? value : Object(value).count;
    return Number.isSafeInteger(count) && count >= 0 ? count : null;
  } catch {
    return null;
  }
}

function describeReadProblem(error: ExecException): string {
  const hasExited = typeof error.code === 'number';
  if (!hasExited && !error.signal) return describeConnectionProblem(error as Error);
  const end = hasExited ? `it exited with code ${error.code}` : `it was terminated by ${error.signal}`;
  return [end, error.stderr?.trim()].filter(Boolean).join(': ');
}

function createObserverError(message: string): SvcError {
  return new SvcError('usage', message, { hint: HINT });
}
