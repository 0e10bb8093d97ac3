/** Reads side effects from a URL or a command that returns `{"count": n}`, `{"ids": […]}` or only the number. */
import { ExecaError, execa } from 'execa';
import { describeFailure } from '../diagnosis/describe-failure.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { describeExit } from '../domain/message-parts.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { OutboundClient } from '../platform/outbound-client.ts';

/** The side effects so far: their number, and if the source lists them, the ID of the event of each. */
export interface SideEffectReading {
  readonly count: number;
  readonly ids: readonly string[] | null;
}

/** Returns the side effects so far. @throws SvcError `usage` if they cannot be read */
export type ReadSideEffects = () => Promise<SideEffectReading>;

const READ_TIMEOUT_MS = 10_000;
/** Maximum number of bytes to read. */
const RESPONSE_LIMIT = 16 * 1024 * 1024;
const LIMIT_PROBLEM = 'it returned more than 16 MiB';
const HINT = 'Return {"count": n}, {"ids": […]} or only the number.';

interface SideEffectReaderOptions {
  /** Which URLs are allowed, as for deliveries (gap `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Additional certificates to trust, in PEM. */
  readonly ca?: string | undefined;
  /** Aborts a read that is in progress. */
  readonly signal: AbortSignal;
  /** Working folder of a command. */
  readonly cwd: string;
}

/** @param source an `http` or `https` URL; anything else is a shell command */
export function createSideEffectReader(source: string, options: SideEffectReaderOptions): ReadSideEffects {
  const read = /^https?:\/\//i.test(source)
    ? createUrlReader(source, options)
    : () => runShell(source, options);
  return async () => {
    const text = await read().catch((error: Error) => {
      const problem = describeReadProblem(error);
      throw new SvcError('usage', `Could not read a count from ${source}: ${problem}.`, { hint: HINT });
    });
    const reading = parseReading(text);
    if (reading !== null) return reading;
    const excerpt = JSON.stringify(text.trim().slice(0, 80));
    throw new SvcError('usage', `${source} returned ${excerpt} instead of a count.`, { hint: HINT });
  };
}

function createUrlReader(url: string, { urlRule: rule, ca, signal }: SideEffectReaderOptions) {
  const client = new OutboundClient({ rule, ca });
  const limits = { connectTimeoutMs: READ_TIMEOUT_MS, attemptTimeoutMs: READ_TIMEOUT_MS };
  let isFirst = true;
  return async (): Promise<string> => {
    const { failure, response, stage } = await client.send({
      url,
      method: 'GET',
      signal,
      timeoutMs: READ_TIMEOUT_MS,
      bodyLimitBytes: RESPONSE_LIMIT,
      reusesConnection: false,
    });
    if (failure !== null || response === null) {
      const context = { ...limits, stage, response, url: new URL(url), isFirst };
      throw new Error(describeFailure(failure ?? 'stopped', context).error);
    }
    isFirst = false;
    const { status, body, truncated } = response;
    if (status < 200 || status > 299) throw new Error(`it responded with status ${status}`);
    if (truncated) throw new Error(LIMIT_PROBLEM);
    return body.toString();
  };
}

/** Runs a shell command in this process group, so that `sudo` and `ssh` find the terminal. @returns its standard output */
async function runShell(command: string, { cwd, signal }: SideEffectReaderOptions): Promise<string> {
  const options = {
    cwd,
    shell: true,
    stdin: 'ignore',
    cancelSignal: signal,
    maxBuffer: RESPONSE_LIMIT,
    timeout: READ_TIMEOUT_MS,
  } as const;
  return (await execa(command, options)).stdout;
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

function describeReadProblem(error: Error): string {
  if (!(error instanceof ExecaError)) return error.message;
  if (error.isMaxBuffer) return LIMIT_PROBLEM;
  if (error.timedOut) return `no response within ${formatDuration(READ_TIMEOUT_MS)}`;
  const end = `it ${describeExit(error.exitCode ?? null, error.signal ?? null)}`;
  return [end, String(error.stderr ?? '').trim()].filter(Boolean).join(': ');
}
