/** Asks for the count of effects: a URL that answers `{"count": n}`, or a command that prints that or the number. */
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

/** How many effects there have been so far. @throws SvcError `usage` when that cannot be found out. */
export type CountEffects = () => Promise<number>;

export interface EffectObserver {
  readonly count: CountEffects;
  /** Ends the commands that still run, and what they have started. */
  close(): Promise<void>;
}

const ANSWER_WITHIN_MS = 10_000;
/** Characters of a response that are read: a count is shorter. */
const TEXT_LIMIT = 64 * 1024;
const HINT = 'A URL answers {"count": n} to a GET; a command prints that, or the number alone.';

export interface EffectObserverOptions {
  /** Of a command. */
  readonly cwd: string;
  /** Where a URL may lead, as for deliveries (decision `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Ends what is in progress. */
  readonly signal: AbortSignal;
}

/** @param observe an `http` or `https` URL; anything else is a command of the shell. */
export function createEffectObserver(observe: string, options: EffectObserverOptions): EffectObserver {
  const shell = new GuardedShell();
  const isUrl = /^https?:\/\//i.test(observe);
  const read = isUrl ? readUrl : shell.read.bind(shell);
  return {
    async count() {
      const deadline = AbortSignal.any([options.signal, abortAfter(ANSWER_WITHIN_MS)]);
      const text = await read(observe, { ...options, signal: deadline }).catch((error: Error) => {
        const because = error.cause instanceof Error ? error.cause.message : error.message;
        throw refuse(`${observe} gives no count: ${because.trim()}.`);
      });
      return parseCount(text) ?? refuseText(observe, text);
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
    throw new Error(`it answers with status ${statusCode}`);
  }
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    if (text.length > TEXT_LIMIT) break;
  }
  return text;
}

/** Runs commands in this process group, where `sudo` and `ssh` find the terminal. They end when this process does. */
class GuardedShell {
  #guard: ProcessGuard | null = null;
  #toQuarry: (command: number) => ProcessTarget = targetInOwnGroup;

  /** @returns what the command prints on standard output. */
  async read(command: string, { cwd, signal }: EffectObserverOptions): Promise<string> {
    if (this.#guard === null) {
      this.#guard = await createProcessGuard(process.env);
      this.#toQuarry = targetInSharedGroup();
    }
    const running = promisify(exec)(command, { cwd, signal });
    const { pid } = running.child;
    if (pid !== undefined) this.#guard.add(this.#toQuarry(pid));
    try {
      return (await running).stdout;
    } finally {
      // An aborted command may have left processes of its own.
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

function refuseText(observe: string, text: string): never {
  throw refuse(`${observe} gives no count, but ${JSON.stringify(text.trim().slice(0, 80))}.`);
}

function refuse(message: string): SvcError {
  return new SvcError('usage', message, { hint: HINT });
}
