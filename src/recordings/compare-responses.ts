/** Maps the differences between the responses of the service and of the emulator to gaps. */
import { isDeepStrictEqual } from 'node:util';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { findWebhookUrlProblem } from '../domain/webhook-url.ts';
import { listEventTypes } from '../fixtures/event-fixtures.ts';
import { builtInFixtureFolder } from '../fixtures/fixture-folders.ts';
import { type ConfigValue, isConfigurable } from '../profile/gap.ts';
import { gaps } from '../profile/gaps.ts';
import type { Observation } from './finding.ts';
import type { Pair } from './replay.ts';
import { type ApiRequest, isSuccess } from './sort-recording.ts';

/** A request about which a gap decides, and what a response to it shows. */
interface Rule extends Pick<Observation, 'gap' | 'field'> {
  /** What the message of each error must be about. */
  readonly about?: RegExp;
  readonly when: (recorded: ApiRequest, pair: Pair) => boolean;
  /**
   * The value of the gap that a response shows; default: the status. The service behaves as the emulator if both responses show the same.
   * @param earlier the response to the earlier request with the same idempotency key
   */
  readonly read?: (response: ApiRequest, earlier: ApiRequest | undefined) => ConfigValue;
  /** True if equal responses do not show that the values are equal, and different ones do not show the value. */
  readonly showsNoValue?: true;
}

const readError = ({ status, failure }: ApiRequest) => `${status} ${failure.code}`.trim();
const readDecision = (accepted: ConfigValue, rejected: ConfigValue) => (response: ApiRequest) =>
  isSuccess(response) ? accepted : rejected;
const readResult = readDecision('accepted', 'rejected');
const areErrors = ({ recorded, emulated }: Pair) => !isSuccess(recorded) && !isSuccess(emulated);
/** Whether the response is that to the earlier request. */
const isReplayed = ({ result }: ApiRequest, earlier: ApiRequest | undefined) =>
  result.id === earlier?.result.id;
/** Whether the same request was accepted before, with the same idempotency key. */
const isRepeated = ({ recorded, earlier }: Pair) =>
  earlier?.recorded.path === recorded.path && String(earlier.recorded.body) === String(recorded.body);

/** Read from the folder of the fixtures once, when a request needs them. */
let eventTypes: ReadonlySet<string> | undefined;

/** All that apply to an accepted request count. An error has one reason: only the rules up to a difference, or to a gap without an override. */
const rules: readonly Rule[] = [
  {
    gap: 'body.limit',
    when: ({ status }, { emulated }) => [status, emulated.status].includes(413),
    showsNoValue: true,
  },
  {
    gap: 'body.charset',
    when: ({ method, headers, status }) =>
      method === 'POST' && status !== 403 && /charset=(?!"?utf-?8)/i.test(headers.get('content-type') ?? ''),
  },
  { gap: 'path.slash', when: ({ path }) => /^\/(?:events|webhooks)\/$/.test(path) },
  { gap: 'version', when: ({ path }) => /^\/v\d+\//.test(path) },
  {
    gap: 'webhook.operations',
    // A 404 for a longer path can be about the ID.
    when: ({ operation, path, status }) =>
      operation === null && /^\/webhooks(?:\/[^/]+)?$/.test(path) && (path === '/webhooks' || status !== 404),
    read: readResult,
  },
  {
    gap: 'key.scopes',
    when: ({ method, status }) => method === 'GET' && status === 403,
    read: readDecision('not_required', 'required'),
  },
  {
    gap: 'idempotency.scope',
    field: 'unique_within',
    about: /idempoten/i,
    when: ({ path }, { earlier }) => earlier !== null && earlier.recorded.path !== path,
    read: readDecision('api_key_method_path', 'api_key'),
  },
  {
    gap: 'idempotency.scope',
    field: 'retention',
    when: (recorded, pair) => isRepeated(pair) && isSuccess(recorded) && isSuccess(pair.emulated),
    read: (response, earlier) => (isReplayed(response, earlier) ? 'replayed' : 'new'),
    showsNoValue: true,
  },
  {
    gap: 'idempotency.replay',
    when: (recorded, pair) =>
      isRepeated(pair) &&
      isReplayed(recorded, pair.earlier?.recorded) &&
      isReplayed(pair.emulated, pair.earlier?.emulated),
    read: ({ status, responseHeaders }) =>
      `${status}, Idempotent-Replayed: ${responseHeaders.get('idempotent-replayed')}`,
  },
  {
    gap: 'idempotency.conflict',
    when: (recorded, { emulated, earlier }) =>
      earlier?.recorded.path === recorded.path &&
      !isSuccess(recorded) &&
      emulated.failure.code.startsWith('idempotency_'),
    read: readError,
  },
  {
    gap: 'event.catalog',
    about: /^type\b|event type|catalog/i,
    when({ input }) {
      eventTypes ??= new Set(listEventTypes([builtInFixtureFolder()]));
      return typeof input.type === 'string' && isEventType(input.type) && !eventTypes.has(input.type);
    },
    read: readDecision('open', 'closed'),
  },
  {
    gap: 'webhook.url',
    about: /\burl\b|https|public/i,
    when: ({ input }) =>
      findWebhookUrlProblem(String(input.url), 'local') === null &&
      findWebhookUrlProblem(String(input.url), 'public') !== null,
    read: readDecision('local', 'public'),
  },
  {
    gap: 'webhook.wildcard',
    about: /\*|wildcard|\bevents\b/i,
    when: ({ input }) => isDeepStrictEqual(input.events, [WILDCARD_SUBSCRIPTION]),
    read: readResult,
  },
  {
    gap: 'list.limit',
    field: 'max',
    about: /limit/i,
    when: ({ operation, url }) => operation === 'listEvents' && Number(url.searchParams.get('limit')) > 0,
    read: readResult,
    showsNoValue: true,
  },
  {
    gap: 'error.codes',
    when: ({ status, failure }, pair) =>
      areErrors(pair) &&
      failure.code !== '' &&
      (![401, 403].includes(status) || status === pair.emulated.status),
    read: readError,
  },
  {
    gap: null,
    when: ({ operation, status }, pair) =>
      operation !== null && status !== pair.emulated.status && !areErrors(pair),
  },
];

function applies({ gap, about, when }: Rule, pair: Pair): boolean {
  const { recorded, emulated } = pair;
  const errors = [recorded, emulated].filter((response) => !isSuccess(response));
  // A service can check the key before or after everything else.
  const isAuthenticated = recorded.status !== 401 || gap === 'error.codes' || gap === null;
  const isAbout = about === undefined || errors.every(({ failure }) => about.test(failure.message));
  return isAuthenticated && isAbout && when(recorded, pair);
}

/** What the pairs show about gaps, and the differences that belong to none. */
export function compareResponses(pairs: readonly Pair[]): Observation[] {
  const observations: Observation[] = [];
  for (const pair of pairs) {
    const areAccepted = isSuccess(pair.recorded) && isSuccess(pair.emulated);
    for (const rule of rules.filter((each) => applies(each, pair))) {
      const observation = observe(rule, pair);
      if (observation !== null) observations.push(observation);
      const isFixed = rule.gap !== null && !isConfigurable(gaps[rule.gap]);
      if (!areAccepted && (isFixed || observation?.isSame === false)) break;
    }
  }
  return observations;
}

/** @returns null if the pair does not show whether the service behaves as the emulator */
function observe(
  { gap, field, read = ({ status }) => status, showsNoValue }: Rule,
  pair: Pair,
): Observation | null {
  const { recorded, emulated, earlier } = pair;
  const [shown, own] = [read(recorded, earlier?.recorded), read(emulated, earlier?.emulated)];
  const isSame = shown === own;
  if (isSame && showsNoValue) return null;
  const describe = ({ failure }: ApiRequest, value: ConfigValue) =>
    failure.code === '' ? value : `${failure.code} ${failure.message}`;
  const { method, path } = recorded;
  const text =
    gap === null
      ? `${method} ${path}: ${readError(recorded)}; svc: ${readError(emulated)}`
      : `${describe(recorded, shown)}; svc: ${emulated.status} ${describe(emulated, own)}`;
  return { gap, field, exchange: recorded, isSame, value: showsNoValue ? null : shown, text };
}
