/** The handlers of the operations that explore the receiver of an endpoint. */
import { randomInt } from 'node:crypto';
import type { ControlOperations } from '../contract/control-operations.ts';
import type { Exploration, ExplorationReport } from '../contract/exploration-schemas.ts';
import type { ValidatedInput } from '../contract/operation.ts';
import { getSigningSecrets } from '../delivery/attempt.ts';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { commandlessDisturbances, DEFAULT_RUNS, MAX_SEED } from '../domain/exploration.ts';
import { requireSecrets } from '../domain/signature/sign.ts';
import { SvcError } from '../errors.ts';
import { findFixture, listFixtures } from '../fixtures/event-fixtures.ts';
import { createTemplateFiller } from '../fixtures/template.ts';
import type { AddressPolicy } from '../network/address-policy.ts';
import type { ExploreReport } from '../receiver/explore/explore.ts';
import type { EventTemplate, History } from '../receiver/explore/history.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { getWebhookRow } from '../sandbox/webhooks.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { createLinkedController } from '../timers.ts';
import type { ControlHandlers } from './control-plane.ts';

export interface ExplorationDependencies {
  /** Folders with fixtures. Later folders override earlier ones. */
  readonly fixtureFolders: readonly string[];
  /** Additional certificate authorities for receivers, in PEM. */
  readonly ca: string | undefined;
  readonly isOwnAddress: AddressPolicy['isOwnAddress'];
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

type ExplorationInput = Omit<ValidatedInput<ControlOperations['exploreWebhook']>, 'id'>;
type Progress = Omit<Exploration, 'seed' | 'duration_ms'>;

interface RunningExploration {
  readonly getProgress: () => Exploration;
  readonly cancel: () => void;
}

export function createExplorationHandlers(sandbox: Sandbox, dependencies: ExplorationDependencies) {
  /** By the sequence of the endpoint. */
  const running = new Map<number, RunningExploration>();
  return {
    exploreWebhook: async ({ id, ...input }, signal) => {
      const row = getWebhookRow(sandbox, id);
      if (running.has(row.seq)) {
        throw new SvcError('conflict', `The receiver of endpoint ${id} is already being explored.`, {
          hint: 'Wait until the exploration has ended, or cancel it.',
        });
      }
      const { seed = randomInt(MAX_SEED) } = input;
      const ending = createLinkedController(signal === undefined ? [] : [signal]);
      const startedAt = sandbox.wall.monotonic();
      let progress: Progress = { phase: 'searching', runs: 0, requests: 0, steps: null };
      running.set(row.seq, {
        getProgress: () => ({
          ...progress,
          seed,
          duration_ms: Math.round(sandbox.wall.monotonic() - startedAt),
        }),
        cancel: () => ending.abort(),
      });
      const stopWatching = endWithEndpoint(sandbox, row, dependencies.closing, ending);
      try {
        const report = await exploreEndpoint(sandbox, dependencies, row, {
          ...input,
          seed,
          signal: ending.signal,
          onProgress: (current) => {
            progress = current;
          },
        });
        if (ending.signal.reason instanceof SvcError) throw ending.signal.reason;
        return report;
      } finally {
        stopWatching();
        running.delete(row.seq);
        ending.abort();
      }
    },
    getExploration: async ({ id }) => {
      const exploration = running.get(getWebhookRow(sandbox, id).seq);
      return { exploration: exploration?.getProgress() ?? null };
    },
    cancelExploration: async ({ id }) => {
      const exploration = running.get(getWebhookRow(sandbox, id).seq);
      exploration?.cancel();
      return { canceled: exploration !== undefined };
    },
  } satisfies Partial<ControlHandlers>;
}

/** Aborts `ending` with an error when the endpoint is deleted, the state is replaced or restored, or the emulator stops. */
function endWithEndpoint(
  { bus }: Sandbox,
  { id, seq }: WebhookRow,
  closing: AbortSignal,
  ending: AbortController,
): () => void {
  const end = (message: string) => ending.abort(new SvcError('conflict', message));
  const unsubscribe = bus.subscribe((event) => {
    if (event.type === 'state_replaced') end('The emulator was reset during the exploration.');
    if (event.type === 'deliveries_canceled' && event.webhookSeq === seq)
      end(`Endpoint ${id} was deleted during the exploration.`);
  });
  const stop = () => end('The emulator is stopping.');
  closing.addEventListener('abort', stop);
  return () => {
    unsubscribe();
    closing.removeEventListener('abort', stop);
  };
}

interface EndpointExploration extends ExplorationInput {
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

async function exploreEndpoint(
  sandbox: Sandbox,
  { fixtureFolders, ca, isOwnAddress }: ExplorationDependencies,
  row: WebhookRow,
  { seed, signal, onProgress, observe, runs, time_ms: timeMs, only }: EndpointExploration,
): Promise<ExplorationReport> {
  // Loaded on first use, because most emulators never explore.
  const { createUrlReader } = await import('../receiver/effect-observer.ts');
  const { explore } = await import('../receiver/explore/explore.ts');
  const { rules, wall, workspaces } = sandbox;
  const { url, skip_verify: skipVerify } = row;
  const [secret = '', previousSecret] = requireSecrets(
    rules.signature,
    getSigningSecrets(row, workspaces.get(row.workspace_seq).clock.now()),
  );
  const network = { urlRule: rules.webhookUrl, isOwnAddress, signal };
  const subscriptions: readonly string[] = JSON.parse(row.events);
  const events = createEvents(subscriptions, fixtureFolders, seed, wall.now);
  const report = await explore({
    ...network,
    url,
    ca,
    seed,
    events,
    secret,
    previousSecret,
    onProgress,
    timeMs: timeMs ?? null,
    scheme: rules.signature,
    extraHeaders: JSON.parse(row.headers),
    insecureTls: skipVerify === 1,
    timeoutMs: rules.delivery.attemptTimeoutMs,
    runs: runs ?? (timeMs === undefined ? DEFAULT_RUNS : null),
    disturbances: new Set(only ?? listDefaultDisturbances(subscriptions)),
    readEffects: observe === undefined ? null : createUrlReader(observe, network),
    // The control plane does not run commands.
    restart: null,
    now: wall.now,
  });
  return toReport(report, events, { url, ...(observe === undefined ? {} : { observe }) });
}

/** The service sends only events to which the endpoint subscribes. */
function listDefaultDisturbances(subscriptions: readonly string[]) {
  const receivesAll = subscriptions.includes(WILDCARD_SUBSCRIPTION);
  return commandlessDisturbances.filter((name) => receivesAll || name !== 'unknown-type');
}

/** The fixtures of the event types to which the endpoint subscribes. @throws SvcError `usage` if there are none */
function createEvents(
  subscriptions: readonly string[],
  folders: readonly string[],
  seed: number,
  now: () => number,
): readonly EventTemplate[] {
  const fixtures = subscriptions.includes(WILDCARD_SUBSCRIPTION)
    ? listFixtures(folders)
    : subscriptions.flatMap((type) => findFixture(type, folders) ?? []);
  if (fixtures.length === 0) {
    throw new SvcError('usage', 'No event type that the endpoint receives has a fixture.', {
      hint: 'Add a fixture for one of them to the folder fixtures/events.',
    });
  }
  const fill = createTemplateFiller(seed, { env: process.env, now });
  return fixtures.map(({ type, template }) => ({ type, payload: fill(template) }));
}

function toReport(
  { failure, ...report }: ExploreReport,
  events: readonly EventTemplate[],
  receiver: NonNullable<History['receiver']>,
): ExplorationReport {
  return {
    ...report,
    disturbances: [...report.disturbances],
    events: events.map(({ type }) => type),
    failure: failure && {
      ...failure,
      steps: failure.steps.map((step) => ({ ...step, broken: [...step.broken] })),
      unusual_events: [...failure.unusual_events],
      history: { ...failure.history, receiver },
    },
  };
}
