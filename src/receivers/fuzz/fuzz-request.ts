/** Resolves the options of `svc receiver fuzz`, with their defaults. */
import { randomInt } from 'node:crypto';
import { SvcError } from '../../domain/errors.ts';
import { createRandomSource } from '../../domain/secret.ts';
import { DEFAULT_RUNS, MAX_SEED, selectVariations } from '../../domain/variations.ts';
import { findFixture, listFixtures } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { fillTemplates } from '../../fixtures/template.ts';
import { createTemplateContexts } from '../../fixtures/template-contexts.ts';
import type { DeliverySequence, EventTemplate } from '../sequence.ts';
import type { FuzzOptions } from './fuzz.ts';
import { waitUntilListening } from './restart-receiver.ts';

export interface FuzzRequest {
  readonly url: string;
  /** Default: {@link DEFAULT_RUNS}, or no limit with a time. */
  readonly runs: number | undefined;
  readonly timeMs: number | undefined;
  /** Default: that of `replay`, otherwise random. */
  readonly randomSeed: number | undefined;
  /** Event types, whose payloads come from their fixtures (default: all fixtures). */
  readonly events: readonly string[] | undefined;
  /** Names of variations (default: all). */
  readonly only: readonly string[] | undefined;
  readonly without: readonly string[] | undefined;
  readonly replay: DeliverySequence | null;
  /** Stops and starts the receiver; undefined if it cannot be restarted. */
  readonly restart: (() => void | Promise<void>) | undefined;
}

interface FuzzContext {
  readonly projectFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** @throws SvcError `not_found` for an event type without a fixture; `usage` for an unknown variation */
export function resolveFuzzRequest(
  { url, runs, timeMs, events, only, without, replay, restart, ...request }: FuzzRequest,
  context: FuzzContext,
) {
  const randomSeed = request.randomSeed ?? replay?.random_seed ?? randomInt(MAX_SEED);
  return {
    url,
    randomSeed,
    replay,
    variations: selectVariations(only, without),
    runs: runs ?? (timeMs === undefined ? DEFAULT_RUNS : null),
    timeMs: timeMs ?? null,
    events: createEvents(events, randomSeed, context),
    restart:
      restart === undefined
        ? null
        : async () => {
            await restart();
            await waitUntilListening(url, context.signal);
          },
  } satisfies Partial<FuzzOptions>;
}

/** The templates of fixtures are filled with the values of the random seed. */
function createEvents(
  events: readonly string[] | undefined,
  randomSeed: number,
  { projectFolder, env, now }: FuzzContext,
): readonly EventTemplate[] {
  const folders = fixtureFolders(projectFolder);
  const templateContexts = createTemplateContexts({ env, random: createRandomSource(randomSeed), now });
  const requested = events?.length ? events : listFixtures(folders).map(({ type }) => type);
  return requested.map((type) => {
    const fixture = findFixture(type, folders);
    if (fixture !== null) return { type, payload: fillTemplates(fixture.template, templateContexts.next()) };
    throw new SvcError('not_found', `Fixture ${type} does not exist.`, {
      hint: { text: 'List the fixtures', command: 'svc fixtures list' },
    });
  });
}
