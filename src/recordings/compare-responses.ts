/** Maps the differences between the responses of the service and of the emulator to gaps. */
import { isDeepStrictEqual } from 'node:util';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { isObject } from '../domain/json.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import { type ConfigValue, isConfigurable } from '../profile/gap.ts';
import { type GapId, gaps } from '../profile/gaps.ts';
import type { Observation, OtherDifference } from './finding.ts';
import type { Pair } from './replay.ts';
import { type ApiRequest, isSuccess } from './sort-traffic.ts';

/** A request about which a gap decides. Both accept it, or both reject it, if the service behaves as the emulator. */
interface Rule {
  readonly gap: GapId;
  readonly field?: string;
  readonly operation?: ApiRequest['operation'];
  readonly path?: RegExp;
  /** What the message of each error must be about. */
  readonly about?: RegExp;
  readonly when?: (pair: Pair, eventTypes: ReadonlySet<string>) => boolean;
  /** What the service does if it accepts or rejects the request, unlike the emulator. Default: the recording does not show it. */
  readonly accepted?: ConfigValue | ((request: ApiRequest) => ConfigValue | undefined);
  readonly rejected?: ConfigValue;
  /**
   * Undefined if the pair does not show it. Default: whether both accept, or both reject; for a gap that cannot be overridden, whether
   * both have the same status.
   */
  readonly isSame?: (pair: Pair) => boolean | undefined;
}

/** If a response is an error, only the first rule that applies counts. */
const rules: readonly Rule[] = [
  {
    gap: 'body.limit',
    when: ({ recorded, emulated }) => recorded.status === 413 || emulated.status === 413,
    isSame: showsOtherLimit,
  },
  {
    gap: 'body.charset',
    when: ({ recorded: { method, headers, status } }) =>
      method === 'POST' && status !== 403 && /charset=(?!"?utf-?8)/i.test(headers.get('content-type') ?? ''),
  },
  { gap: 'path.slash', path: /^\/(?:events|webhooks)\/$/ },
  { gap: 'version', path: /^\/v\d+\// },
  {
    gap: 'webhook.operations',
    operation: null,
    path: /^\/webhooks(?:\/[^/]+)?$/,
    // A 404 for a longer path can be about the ID.
    when: ({ recorded: { path, status } }) => path === '/webhooks' || status !== 404,
    isSame: haveSameResult,
  },
  {
    gap: 'key.scopes',
    when: ({ recorded: { method, status } }) => method === 'GET' && status === 403,
    rejected: 'required',
  },
  {
    gap: 'idempotency.scope',
    field: 'unique_within',
    about: /idempoten/i,
    when: ({ recorded, earlier }) => earlier !== null && earlier.recorded.path !== recorded.path,
    accepted: 'api_key_method_path',
    rejected: 'api_key',
  },
  {
    gap: 'idempotency.scope',
    field: 'retention',
    when: (pair) => isRepeated(pair) && wasReplayed(pair, 'recorded') !== wasReplayed(pair, 'emulated'),
    isSame: () => false,
  },
  {
    gap: 'idempotency.replay',
    when: (pair) => isRepeated(pair) && wasReplayed(pair, 'recorded') && wasReplayed(pair, 'emulated'),
    isSame: (pair) => describeReplay(pair, 'recorded') === describeReplay(pair, 'emulated'),
  },
  {
    gap: 'idempotency.conflict',
    when: ({ recorded, emulated, earlier }) =>
      earlier?.recorded.path === recorded.path &&
      !isSuccess(recorded) &&
      emulated.failure.code.startsWith('idempotency_'),
    isSame: hasSameError,
  },
  {
    gap: 'event.catalog',
    operation: 'createEvent',
    about: /^type\b|event type|catalog/i,
    when: ({ recorded: { input } }, eventTypes) =>
      typeof input.type === 'string' && isEventType(input.type) && !eventTypes.has(input.type),
    accepted: 'open',
    rejected: 'closed',
  },
  {
    gap: 'event.body',
    operation: 'createEvent',
    about: /\b(?:payload|data)\b/i,
    when: ({ recorded }) => isObject(recorded.input.payload) !== isObject(recorded.input.data),
    accepted: ({ input }) => (isObject(input.payload) ? 'payload' : 'data'),
  },
  {
    gap: 'webhook.url',
    operation: 'createWebhook',
    about: /\burl\b|https|public/i,
    when: ({ recorded: { input } }) =>
      checkWebhookUrl(String(input.url), 'local').ok && !checkWebhookUrl(String(input.url), 'public').ok,
    accepted: 'local',
    rejected: 'public',
  },
  {
    gap: 'webhook.wildcard',
    operation: 'createWebhook',
    about: /\*|wildcard|\bevents\b/i,
    when: ({ recorded: { input } }) => isDeepStrictEqual(input.events, [WILDCARD_SUBSCRIPTION]),
    accepted: 'accepted',
    rejected: 'rejected',
  },
  // Other limits are about a field of the endpoint.
  {
    gap: 'webhook.limit',
    operation: 'createWebhook',
    about: /^(?!.*(?:\burls?\b|\bevents?\b|character)).*(?:endpoint|webhook)/i,
    isSame: showsOtherLimit,
  },
  {
    gap: 'list.workspace',
    operation: 'listEvents',
    about: /workspace/i,
    when: ({ recorded }) => findWorkspaceParameter(recorded) !== undefined,
    accepted: findWorkspaceParameter,
  },
  {
    gap: 'list.limit',
    field: 'max',
    operation: 'listEvents',
    about: /limit/i,
    when: ({ recorded: { url } }) => Number(url.searchParams.get('limit')) > 0,
    isSame: showsOtherLimit,
  },
];

function applies(rule: Rule, pair: Pair, eventTypes: ReadonlySet<string>): boolean {
  const { operation, path, about, when } = rule;
  const { recorded, emulated } = pair;
  const errors = [recorded, emulated].filter((response) => !isSuccess(response));
  // A service can check the key before or after everything else.
  if (recorded.status === 401 || (operation !== undefined && operation !== recorded.operation)) return false;
  if (path !== undefined && !path.test(recorded.path)) return false;
  if (about !== undefined && !errors.every(({ failure }) => about.test(failure.message))) return false;
  return when?.(pair, eventTypes) ?? true;
}

function findWorkspaceParameter({ url }: ApiRequest): string | undefined {
  return [...url.searchParams].find(([, value]) => value.startsWith('ws_'))?.[0];
}

/** Whether the same request was accepted before, with the same idempotency key. */
function isRepeated({ recorded, earlier }: Pair): boolean {
  return earlier?.recorded.path === recorded.path && String(earlier.recorded.body) === String(recorded.body);
}

function wasReplayed({ earlier, ...pair }: Pair, side: 'recorded' | 'emulated'): boolean {
  return isSuccess(pair[side]) && pair[side].result.id === earlier?.[side].result.id;
}

function describeReplay({ earlier, ...pair }: Pair, side: 'recorded' | 'emulated'): string {
  const { status, result, responseHeaders } = pair[side];
  const isEqual = status === earlier?.[side].status && isDeepStrictEqual(result, earlier[side].result);
  return `${isEqual ? 'the same' : 'another'} response, Idempotent-Replayed: ${responseHeaders.get('idempotent-replayed')}`;
}

function haveSameResult({ recorded, emulated }: Pair): boolean {
  return isSuccess(recorded) === isSuccess(emulated);
}

/** Requests within both limits, or above both, do not show whether the limits are the same. */
function showsOtherLimit(pair: Pair): false | undefined {
  const isTooLarge = [pair.recorded, pair.emulated].filter(({ status }) => status === 413);
  return haveSameResult(pair) && isTooLarge.length !== 1 ? undefined : false;
}

function hasSameStatus({ recorded, emulated }: Pair): boolean {
  return recorded.status === emulated.status;
}

function hasSameError(pair: Pair): boolean {
  return hasSameStatus(pair) && pair.recorded.failure.code === pair.emulated.failure.code;
}

/**
 * What the pairs show about gaps, and the differences that belong to none.
 * @param eventTypes the event types that have a built-in fixture
 */
export function compareResponses(pairs: readonly Pair[], eventTypes: ReadonlySet<string>) {
  const observations: Observation[] = [];
  const other: OtherDifference[] = [];
  for (const pair of pairs) {
    const { recorded: exchange, emulated } = pair;
    const responses = [describe(exchange), `svc: ${emulated.status} ${describe(emulated)}`.trim()];
    const text = responses.filter(Boolean).join('; ');
    const matching = rules.filter((each) => applies(each, pair, eventTypes));
    const areAccepted = isSuccess(exchange) && isSuccess(emulated);
    // An error has one reason.
    const decisive = areAccepted ? matching : matching.slice(0, 1);
    const shown = decisive.flatMap((rule) => observe(rule, pair, text) ?? []);
    observations.push(...shown);
    const isUnexplained = areAccepted ? !hasSameStatus(pair) : decisive.length === 0 && !haveSameResult(pair);
    if (isUnexplained && exchange.operation !== null) {
      other.push({
        exchange,
        text: `${toRequestText(exchange)}; svc: ${emulated.status} ${describe(emulated)}`.trim(),
      });
    }
    const isExplained = shown.some((each) => !each.isSame) || decisive.some(isFixed);
    if (!isExplained && hasComparableErrors(pair)) {
      const value = `${exchange.status} ${exchange.failure.code}`;
      observations.push({ gap: 'error.codes', exchange, isSame: hasSameError(pair), value, text });
    }
  }
  return { observations, other };
}

/** @returns null if the pair does not show whether the service behaves as the emulator */
function observe(rule: Rule, pair: Pair, text: string): Observation | null {
  const { gap, field, accepted, rejected } = rule;
  const { recorded: exchange } = pair;
  const isSame = (rule.isSame ?? (isFixed(rule) ? hasSameStatus : haveSameResult))(pair);
  if (isSame === undefined) return null;
  const shown = isSuccess(exchange) ? accepted : rejected;
  const known = typeof shown === 'function' ? shown(exchange) : shown;
  const value = isFixed(rule) ? toRequestText(exchange) : (known ?? null);
  return { gap, exchange, isSame, value, text, ...(field !== undefined && { field }) };
}

function isFixed({ gap }: Rule): boolean {
  return !isConfigurable(gaps[gap]);
}

/** A service can check the key and its scopes earlier or later than the emulator. */
function hasComparableErrors(pair: Pair): boolean {
  const { recorded, emulated } = pair;
  const isAboutKey = [401, 403].includes(recorded.status);
  const areErrors = !isSuccess(recorded) && !isSuccess(emulated) && recorded.failure.code !== '';
  return areErrors && (!isAboutKey || hasSameStatus(pair));
}

function toRequestText({ method, path, status, failure }: ApiRequest): string {
  return `${method} ${path}: ${status} ${failure.code}`.trim();
}

function describe({ failure, responseHeaders }: ApiRequest): string {
  const isReplayed = responseHeaders.get('idempotent-replayed') === 'true';
  return isReplayed ? 'replayed' : `${failure.code} ${failure.message}`.trim();
}
