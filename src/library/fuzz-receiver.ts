/** Fuzzes a receiver in tests: plays random delivery sequences against it until one breaks a rule. */

import * as v from 'valibot';
import { SvcError } from '../domain/errors.ts';
import { MAX_SEED, RECEIVER_TIMEOUT_MS, type Variation } from '../domain/variations.ts';
import { systemClock } from '../platform/wall-clock.ts';
import type { FuzzReport } from '../receivers/fuzz/fuzz.ts';
import type { RequestedEvent } from '../receivers/fuzz/fuzz-request.ts';
import type { FuzzProgress } from '../receivers/fuzz/fuzz-session.ts';
import type { ReadSideEffects } from '../receivers/side-effect-reader.ts';
import { accept, wholeNumber } from '../resources/value-schemas.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { getScheme, type SchemeName } from '../signature/schemes.ts';
import { requireSecrets } from '../signature/sign.ts';
import {
  AnyObject,
  checkOptions,
  DurationValue,
  OptionalString,
  type SchemasOf,
  Scheme,
} from './check-options.ts';
import { type Duration, toMs } from './duration.ts';
import { withLibraryErrors } from './library-errors.ts';

/** The side effects so far: their number, or the `data.id` of the event of each. */
export type ObservedSideEffects = number | readonly string[];

export interface FuzzReceiverOptions {
  /** Secret that the receiver verifies with (default: the variable `SVC_WEBHOOK_SECRET`). */
  readonly secret?: string;
  /** Number of sequences (default: 100, or no limit with `time`). */
  readonly runs?: number;
  /** Play sequences for this long. */
  readonly time?: Duration;
  /** The same random seed gives the same sequences (default: that of `replay`, otherwise random; the report has it). */
  readonly randomSeed?: number;
  /** Event types, with payloads from the fixtures, or events with a payload (default: all fixtures). */
  readonly events?: readonly RequestedEvent[];
  /** A function, URL or command that returns the side effects so far. A URL or a command returns `{"ids": […]}` or `{"count": n}`. */
  readonly observe?: string | (() => ObservedSideEffects | Promise<ObservedSideEffects>);
  /** Variations to use (default: all). */
  readonly only?: readonly Variation[];
  /** Variations to leave out. */
  readonly without?: readonly Variation[];
  /** Stops and starts the receiver. Resolves when it is started. */
  readonly restart?: () => void | Promise<void>;
  /** A sequence to play instead of random ones: that of an earlier report, or a saved one with its scheme, time limit and event types. */
  readonly replay?: object;
  /** Signature scheme: the name of a built-in one, or a scheme object (default: `svc`). */
  readonly scheme?: SchemeName | SignatureScheme;
  /** Time limit for a response or a side effect (default: 15 seconds). */
  readonly timeout?: Duration;
  /** Certificate authority in PEM to trust in addition to the built-in ones. */
  readonly ca?: string;
  /** Ends the fuzz run early. The report then has `interrupted: true`. */
  readonly signal?: AbortSignal;
  /** Called each time a sequence was played, also while the smallest one is searched. */
  readonly onProgress?: (progress: FuzzProgress) => void;
}

const FuzzOptionsSchema = v.strictObject({
  secret: OptionalString,
  runs: v.optional(wholeNumber(1)),
  time: v.optional(DurationValue),
  randomSeed: v.optional(wholeNumber(0, MAX_SEED)),
  events: v.optional(v.array(v.union([v.string(), AnyObject]))),
  observe: v.optional(v.union([v.string(), v.function()])),
  only: v.optional(v.array(v.string())),
  without: v.optional(v.array(v.string())),
  restart: v.optional(v.function()),
  replay: v.optional(AnyObject),
  scheme: v.optional(Scheme),
  timeout: v.optional(DurationValue),
  ca: OptionalString,
  signal: v.optional(accept<object>('an AbortSignal', (value) => value instanceof AbortSignal)),
  onProgress: v.optional(v.function()),
} satisfies SchemasOf<FuzzReceiverOptions>);

/**
 * Plays random delivery sequences against a running receiver, and shrinks the first one that breaks a rule. See
 * docs/receiver-testing.md.
 * @param url where the receiver accepts deliveries
 * @throws SvcError `usage` for an unknown or invalid option, if no delivery reaches the receiver, or if side effects cannot be read;
 * `validation_failed` for an unusable secret; `not_found` for an event type without a fixture. Throws the errors of the
 * function `observe` unchanged.
 */
export async function fuzzReceiver(url: string, options: FuzzReceiverOptions = {}): Promise<FuzzReport> {
  checkOptions('fuzzReceiver', FuzzOptionsSchema, options);
  return withLibraryErrors(() => runFuzz(url, options));
}

async function runFuzz(url: string, options: FuzzReceiverOptions): Promise<FuzzReport> {
  const { createSideEffectReader } = await import('../receivers/side-effect-reader.ts');
  const { fuzz } = await import('../receivers/fuzz/fuzz.ts');
  const { parseSequence } = await import('../receivers/sequence.ts');
  const { resolveFuzzRequest } = await import('../receivers/fuzz/fuzz-request.ts');
  const { runs, time, ca, observe, onProgress, signal = new AbortController().signal } = options;
  const { now } = systemClock;
  const replay = options.replay === undefined ? null : parseSequence(options.replay, 'options.replay');
  const { randomSeed, events, only, without, restart } = options;
  const timeMs = time === undefined ? undefined : toMs(time);
  const request = { url, runs, timeMs, randomSeed, events, only, without, replay, restart };
  const context = { projectFolder: process.cwd(), env: process.env, now, signal };
  const scheme = getScheme(options.scheme ?? 'svc');
  let readSideEffects: ReadSideEffects | null = null;
  if (typeof observe === 'function') readSideEffects = toReadSideEffects(observe);
  else if (observe !== undefined) {
    readSideEffects = createSideEffectReader(observe, { cwd: process.cwd(), urlRule: 'local', signal });
  }
  return fuzz({
    ...resolveFuzzRequest(request, context),
    urlRule: 'local',
    scheme,
    secret: requireSecret(scheme, options.secret),
    ca,
    signal,
    timeoutMs: options.timeout === undefined ? RECEIVER_TIMEOUT_MS : toMs(options.timeout),
    readSideEffects,
    now,
    ...(onProgress && { onProgress }),
  });
}

function requireSecret(scheme: SignatureScheme, option: string | undefined): string {
  const secret = option ?? process.env.SVC_WEBHOOK_SECRET;
  if (!secret) {
    throw new SvcError(
      'usage',
      'fuzzReceiver: the secret is missing. Pass options.secret, or set SVC_WEBHOOK_SECRET.',
    );
  }
  // Rejects a secret without a key, with which anybody could sign.
  requireSecrets(scheme, secret);
  return secret;
}

function toReadSideEffects(
  observe: () => ObservedSideEffects | Promise<ObservedSideEffects>,
): ReadSideEffects {
  return async () => {
    const sideEffects = await observe();
    if (typeof sideEffects === 'number') return { count: sideEffects, ids: null };
    if (Array.isArray(sideEffects)) return { count: sideEffects.length, ids: sideEffects.map(String) };
    throw new SvcError(
      'usage',
      'fuzzReceiver: the function observe must return a number or an array of IDs.',
    );
  };
}
