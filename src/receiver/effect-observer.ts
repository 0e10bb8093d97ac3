/** Reads the effect count from a URL that returns `{"count": n}`, or from a command that prints that or the number. */
import { exec } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { startPolicyRequest } from '../network/policy-request.ts';
import { abortAfter } from '../timers.ts';
import { createProcessGuard, type ProcessGuard } from '../watchdog/process-guard.ts';
import { type ProcessTarget, targetInOwnGroup, targetInSharedGroup } from '../watchdog/process-target.ts';

/** Returns the number of effects so far. @throws SvcError `usage` if it cannot be read */
export type CountEffects = () => Promise<number>;

export interface EffectObserver {
  readonly count: CountEffects;
  /** Terminates running commands and their descendants. */
  close(): Promise<void>;
}

const READ_TIMEOUT_MS = 10_000;
/** Maximum number of characters that are read: a count is shorter. */
const TEXT_LIMIT = 64 * 1024;
const HINT = 'Return {"count": n} from the URL, or print that object or only the number from the command.';

export interface EffectObserverOptions {
  /** Working folder of a command. */
  readonly cwd: string;
  /** Which URLs are allowed, as for deliveries (decision `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Aborts a read that is in progress. */
  readonly signal: AbortSignal;
}

/** @param observe an `http` or `https` URL; anything else is a shell command */
export function createEffectObserver(observe: string, options: EffectObserverOptions): EffectObserver {
  const shell = new GuardedShell();
  const isUrl = /^https?:\/\//i.test(observe);
  const read = isUrl ? readUrl : shell.read.bind(shell);
  return {
    async count() {
      const deadline = AbortSignal.any([options.signal, abortAfter(READ_TIMEOUT_MS)]);
      const text = await read(observe, { ...options, signal: deadline }).catch((error: Error) => {
        const cause = error.cause instanceof Error ? error.cause.message : error.message;
        throw toUsageError(`Could not read a count from ${observe}: ${cause.trim()}.`);
      });
      return parseCount(text) ?? throwUnexpectedText(observe, text);
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
    if (text.length > TEXT_LIMIT) break;
  }
  return text;
}

/** Runs shell commands in this process group, so that `sudo` and `ssh` find the terminal. They end with this process. */
class GuardedShell {
  #guard: ProcessGuard | null = null;
  #toTarget: (command: number) => ProcessTarget = targetInOwnGroup;

  /** @returns the standard output of the command */
  async read(command: string, { cwd, signal }: EffectObserverOptions): Promise<string> {
    if (this.#guard === null) {
      this.#guard = await createProcessGuard(process.env);
      this.#toTarget = targetInSharedGroup();
    }
    const running = promisify(exec)(command, { cwd, signal });
    const { pid } = running.child;
    if (pid !== undefined) this.#guard.add(this.#toTarget(pid));
    try {
      return (await running).stdout;
    } finally {
      // An aborted command may have left child processes: keep guarding them.
      if (pid !== undefined && !signal.aborted) this.#guard.remove(pid);
    }
  }

  async close(): Promise<void> {
    await this.#guard?.terminate();
  }
}

function parseCount(text: string): number | null {
  try {
    const value: unknown = JSON.parse(text);
    const count = typeof value === 'number' ? value : Object(value).count;
    return Number.isSafeInteger(count) && count >= 0 ? count : null;
  } catch {
    return null;
  }
}

function throwUnexpectedText(observe: string, text: string): never {
  throw toUsageError(`${observe} returned ${JSON.stringify(text.trim().slice(0, 80))} instead of a count.`);
}

function toUsageError(message: string): SvcError {
  return new SvcError('usage', message, { hint: HINT });
}
