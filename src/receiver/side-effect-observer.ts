/** Reads side effects from a URL or a command that returns `{"count": n}`, `{"ids": […]}` or only the number. */
import { type ExecException, exec } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { formatDuration } from '../domain/duration.ts';
import { describeExit } from '../domain/message-parts.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { startPolicyRequest } from '../network/address-policy.ts';
import { abortAfter, withAnySignal } from '../timers.ts';
import { createProcessGuard, type ProcessGuard } from '../watchdog/process-guard.ts';
import { describeConnectionProblem } from './receiver-client.ts';

/** The side effects so far: their number, and if the source lists them, the ID of the event of each. */
export interface SideEffectReading {
  readonly count: number;
  readonly ids: readonly string[] | null;
}

/** Returns the side effects so far. @throws SvcError `usage` if they cannot be read; any error if it is a function of the user */
export type ReadSideEffects = () => Promise<SideEffectReading>;

interface SideEffectObserver {
  readonly readSideEffects: ReadSideEffects;
  /** Terminates running commands and their descendants. */
  close(): Promise<void>;
}

const READ_TIMEOUT_MS = 10_000;
/** Maximum number of characters to read from a URL, and of bytes from a command. */
const RESPONSE_LIMIT = 16 * 1024 * 1024;
const LIMIT_PROBLEM = 'it returned more than 16 MiB';
const LIMIT_HINT = 'Return only the number of side effects, as {"count": n}.';
/** The code of Node.js for a command that prints more. */
const LIMIT_CODE = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
const URL_HINT = 'Return {"count": n} or {"ids": […]} from the URL.';
const COMMAND_HINT = 'Print {"count": n}, {"ids": […]} or only the number from the command.';

interface UrlReaderOptions {
  /** Which URLs are allowed, as for deliveries (gap `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Aborts a read that is in progress. */
  readonly signal: AbortSignal;
}

interface SideEffectObserverOptions extends UrlReaderOptions {
  /** Working folder of a command. */
  readonly cwd: string;
}

/** @param source an `http` or `https` URL; anything else is a shell command */
export function createSideEffectObserver(
  source: string,
  options: SideEffectObserverOptions,
): SideEffectObserver {
  const shell = new GuardedShell();
  const isUrl = /^https?:\/\//i.test(source);
  const readSideEffects = isUrl
    ? createUrlReader(source, options)
    : createReader(source, options, COMMAND_HINT, (signal) => shell.read(source, { ...options, signal }));
  return {
    readSideEffects,
    close: () => shell.close(),
  };
}

/** Reads side effects from an `http` or `https` URL. It never runs a command. */
export function createUrlReader(url: string, options: UrlReaderOptions): ReadSideEffects {
  return createReader(url, options, URL_HINT, (signal) => readUrl(url, { ...options, signal }));
}

/** @param readText resolves to what the source returns; rejects when the signal is aborted */
function createReader(
  source: string,
  options: UrlReaderOptions,
  hint: string,
  readText: (signal: AbortSignal) => Promise<string>,
): ReadSideEffects {
  return async () => {
    const deadline = abortAfter(READ_TIMEOUT_MS);
    try {
      const text = await withAnySignal([options.signal, deadline], readText);
      const reading = parseReading(text);
      if (reading !== null) return reading;
      const excerpt = JSON.stringify(text.trim().slice(0, 80));
      throw new SvcError('usage', `${source} returned ${excerpt} instead of a count.`, { hint });
    } catch (error) {
      if (error instanceof SvcError) throw error;
      const problem = deadline.aborted
        ? `no response within ${formatDuration(READ_TIMEOUT_MS)}`
        : describeReadProblem(error as Error);
      throw new SvcError('usage', `Could not read a count from ${source}: ${problem}.`, {
        hint: problem === LIMIT_PROBLEM ? LIMIT_HINT : hint,
      });
    }
  };
}

async function readUrl(url: string, { urlRule: rule, signal }: UrlReaderOptions): Promise<string> {
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
    if (text.length > RESPONSE_LIMIT) throw new Error(LIMIT_PROBLEM);
  }
  return text;
}

/** Runs shell commands in this process group, so that `sudo` and `ssh` find the terminal. They end with this process. */
class GuardedShell {
  #guard: ProcessGuard | null = null;

  /** @returns the standard output of the command */
  async read(command: string, { cwd, signal }: SideEffectObserverOptions): Promise<string> {
    this.#guard ??= await createProcessGuard(process.env);
    const execution = this.#guard.start('shared', () => {
      const started = promisify(exec)(command, { cwd, signal, maxBuffer: RESPONSE_LIMIT });
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

function parseReading(text: string): SideEffectReading | null {
  try {
    const value: unknown = JSON.parse(text);
    const { ids } = Object(value);
    if (Array.isArray(ids)) return { count: ids.length, ids: ids.map(String) };
    const count = typeof value === 'number' ? value : Object(value).count;
    return Number.isSafeInteger(count) && count >= 0 ? { count, ids: null } : null;
  } catch {
    return null;
  }
}

function describeReadProblem(error: ExecException): string {
  if (String(error.code) === LIMIT_CODE) return LIMIT_PROBLEM;
  const exitCode = typeof error.code === 'number' ? error.code : null;
  if (exitCode === null && !error.signal) return describeConnectionProblem(error as Error);
  const end = `it ${describeExit(exitCode, error.signal ?? null)}`;
  return [end, error.stderr?.trim()].filter(Boolean).join(': ');
}
