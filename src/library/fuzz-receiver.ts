/** Fuzzes a receiver in tests: plays random delivery sequences against it until one breaks a rule. */
import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { systemClock } from '../clock/wall-clock.ts';
import { isObject } from '../domain/json.ts';
import { createRandomSource } from '../domain/secret.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { getScheme, type SchemeName } from '../domain/signature/schemes.ts';
import { requireSecrets } from '../domain/signature/sign.ts';
import {
  DEFAULT_RUNS,
  MAX_SEED,
  RECEIVER_TIMEOUT_MS,
  selectVariations,
  type Variation,
} from '../domain/variations.ts';
import { SvcError } from '../errors.ts';
import { findFixture, listFixtures } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { fillTemplates } from '../fixtures/template.ts';
import { createTemplateContexts } from '../fixtures/template-contexts.ts';
import type { FuzzReport } from '../receiver/fuzz/fuzz.ts';
import type { FuzzProgress } from '../receiver/fuzz/fuzz-session.ts';
import type { EventTemplate } from '../receiver/fuzz/sequence.ts';
import type { ReadSideEffects } from '../receiver/side-effect-observer.ts';
import { accept, expecting, wholeNumber } from '../validation/value-schemas.ts';
import {
  AnyObject,
  Callback,
  type Duration,
  EventTypeName,
  HttpUrl,
  OptionalDuration,
  OptionalString,
  type SchemasOf,
  Scheme,
  toMs,
} from './argument-schemas.ts';
import { checkArguments, requireRealTimers } from './check-arguments.ts';

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
  readonly events?: readonly (string | { readonly type: string; readonly payload: object })[];
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

const OptionalNames = v.optional(v.array(v.string()));
const EventOption = v.lazy((value) =>
  isObject(value) ? v.strictObject({ type: EventTypeName, payload: AnyObject }) : EventTypeName,
);

export const FuzzOptionsSchema = v.optional(
  v.strictObject({
    secret: OptionalString,
    runs: v.optional(wholeNumber(1)),
    time: OptionalDuration,
    randomSeed: v.optional(wholeNumber(0, MAX_SEED)),
    events: v.optional(v.array(EventOption)),
    observe: v.optional(
      accept<string>(
        'a function, a URL or a command',
        (value) => typeof value === 'function' || (typeof value === 'string' && value !== ''),
      ),
    ),
    only: OptionalNames,
    without: OptionalNames,
    restart: v.optional(Callback),
    replay: v.optional(expecting('a sequence', AnyObject)),
    scheme: v.optional(Scheme),
    timeout: OptionalDuration,
    ca: OptionalString,
    signal: v.optional(accept<object>('an AbortSignal', (value) => value instanceof AbortSignal)),
    onProgress: v.optional(Callback),
  } satisfies SchemasOf<FuzzReceiverOptions>),
);

/**
 * Plays random delivery sequences against a running receiver, and shrinks the first one that breaks a rule. See
 * docs/receiver-testing.md.
 * @param url where the receiver accepts deliveries
 * @throws SvcError `usage` for an unknown or invalid option, if no delivery reaches the receiver, or if side effects cannot be read;
 * `validation_failed` for an unusable secret; `not_found` for an event type without a fixture. Throws the errors of the
 * function `observe` unchanged.
 */
export async function fuzzReceiver(url: string, options: FuzzReceiverOptions = {}): Promise<FuzzReport> {
  checkArguments('fuzzReceiver', { url: HttpUrl, options: FuzzOptionsSchema }, [url, options]);
  requireRealTimers();
  const { createSideEffectObserver } = await import('../receiver/side-effect-observer.ts');
  const { fuzz } = await import('../receiver/fuzz/fuzz.ts');
  const { parseSequence } = await import('../receiver/fuzz/sequence.ts');
  const { waitUntilListening } = await import('../receiver/fuzz/restart-receiver.ts');
  const { runs, time, ca, restart, observe, onProgress, signal = new AbortController().signal } = options;
  const replay = options.replay === undefined ? null : parseSequence(options.replay, 'options.replay');
  const randomSeed = options.randomSeed ?? replay?.random_seed ?? randomInt(MAX_SEED);
  const scheme = getScheme(options.scheme ?? 'svc');
  const observer =
    typeof observe === 'string'
      ? createSideEffectObserver(observe, { cwd: process.cwd(), urlRule: 'local', signal })
      : null;
  try {
    return await fuzz({
      url,
      urlRule: 'local',
      scheme,
      secret: requireSecret(scheme, options.secret),
      randomSeed,
      replay,
      ca,
      signal,
      variations: selectVariations(options.only, options.without),
      runs: runs ?? (time === undefined ? DEFAULT_RUNS : null),
      timeMs: time === undefined ? null : toMs(time),
      timeoutMs: options.timeout === undefined ? RECEIVER_TIMEOUT_MS : toMs(options.timeout),
      events: createEventTemplates(options.events ?? [], randomSeed),
      readSideEffects:
        typeof observe === 'function' ? toReadSideEffects(observe) : (observer?.readSideEffects ?? null),
      restart:
        restart === undefined
          ? null
          : async () => {
              await restart();
              await waitUntilListening(url, signal);
            },
      now: systemClock.now,
      ...(onProgress && { onProgress }),
    });
  } finally {
    await observer?.close();
  }
}

function requireSecret(scheme: SignatureScheme, option: string | undefined): string {
  const secret = option ?? process.env.SVC_WEBHOOK_SECRET;
  if (!secret) {
    throw new SvcError('usage', 'fuzzReceiver: the secret is missing.', {
      hint: 'Pass options.secret, or set SVC_WEBHOOK_SECRET.',
    });
  }
  // Rejects a secret without a key, with which anybody could sign.
  requireSecrets(scheme, secret);
  return secret;
}

/** @param events empty for all fixtures */
function createEventTemplates(
  events: NonNullable<FuzzReceiverOptions['events']>,
  randomSeed: number,
): readonly EventTemplate[] {
  const folders = fixtureFolders(process.cwd());
  const random = createRandomSource(randomSeed);
  const templateContexts = createTemplateContexts({ env: process.env, random, now: systemClock.now });
  const fill = (template: string) => fillTemplates(template, templateContexts.next());
  if (events.length === 0) {
    return listFixtures(folders).map(({ type, template }) => ({ type, payload: fill(template) }));
  }
  return events.map((event) => {
    if (typeof event !== 'string') return { type: event.type, payload: JSON.stringify(event.payload) };
    const fixture = findFixture(event, folders);
    if (fixture !== null) return { type: event, payload: fill(fixture.template) };
    throw new SvcError('not_found', `Fixture ${event} does not exist.`, {
      hint: 'Pass an event with a payload: { type, payload }.',
    });
  });
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
