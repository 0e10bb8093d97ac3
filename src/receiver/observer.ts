/** Asks for the count of effects: a URL that answers `{"count": n}`, or a command that prints that or the number. */
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';

/** How many effects there have been so far. @throws SvcError `usage` when that cannot be found out. */
export type CountEffects = () => Promise<number>;

const ANSWER_WITHIN_MS = 10_000;
const HINT = 'A URL answers {"count": n} to a GET; a command prints that, or the number alone.';

/** @param observe an `http` or `https` URL; anything else is a command of the shell. */
export function createObserver(observe: string, cwd: string, signal: AbortSignal): CountEffects {
  const read = /^https?:\/\//i.test(observe) ? readUrl : readCommand;
  return async () => {
    const deadline = AbortSignal.any([signal, abortAfter(ANSWER_WITHIN_MS)]);
    const text = await read(observe, cwd, deadline).catch((error: Error) => {
      const because = error.cause instanceof Error ? error.cause.message : error.message;
      throw refuse(`${observe} gives no count: ${because.trim()}.`);
    });
    return parseCount(text) ?? refuseText(observe, text);
  };
}

async function readUrl(url: string, _: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`it answers with status ${response.status}`);
  return response.text();
}

async function readCommand(command: string, cwd: string, signal: AbortSignal): Promise<string> {
  return (await promisify(exec)(command, { cwd, signal })).stdout;
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
