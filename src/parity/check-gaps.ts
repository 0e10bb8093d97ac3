/** Compares a recording of the service with the configured values of all gaps: confirmed, different, or no evidence. */
import type { Environment } from '../domain/credentials.ts';
import { isObject } from '../domain/json.ts';
import { REMOVED } from '../domain/secret-remover.ts';
import type { ConfigValue } from '../profile/gap.ts';
import type { GapId } from '../profile/gaps.ts';
import { listGaps } from '../profile/list-gaps.ts';
import { type Overrides, resolveRules, resolveValues } from '../profile/resolve-rules.ts';
import type { ProfileName } from '../profile/rules.ts';
import type { Traffic } from './exchange.ts';
import { type Finding, NO_EVIDENCE } from './finding.ts';
import { compareLimits } from './limit-evidence.ts';
import { compareRecords, listOtherDifferences, type OtherDifference } from './record-shapes.ts';
import { checkRequests } from './request-checks.ts';
import { findRetries } from './retry-evidence.ts';
import { findSignatures } from './signature-evidence.ts';

export interface GapCheckInput {
  readonly traffic: Traffic;
  /** Endpoint secrets. They are only used to verify deliveries. */
  readonly secrets: readonly string[];
  readonly profile: ProfileName;
  readonly overrides: Overrides;
  readonly environment: Environment;
  /** False if a scheme other than `svc` is configured: the gaps of signatures then have no effect. */
  readonly checksSignatures: boolean;
  /** The event types that have a built-in fixture. */
  readonly eventTypes: ReadonlySet<string>;
}

export interface GapResult extends Finding {
  readonly gap: GapId;
  readonly configured: ConfigValue;
}

export interface GapReport {
  /** In the order of the gap register. */
  readonly data: readonly GapResult[];
  readonly other: readonly OtherDifference[];
  readonly notes: readonly string[];
}

/** Why traffic cannot show the value of a gap. docs/parity.md lists them. */
export const invisibleGaps: Readonly<Partial<Record<GapId, string>>> = {
  'signature.tolerance':
    'Receivers check the age of a delivery. The service sends nothing that depends on it.',
  'event.emission': 'A delivery does not say which operation caused it.',
  'delivery.states': 'The described API has no operation that returns a delivery.',
  'delivery.paused': 'The described API cannot disable an endpoint.',
  'delivery.response': 'Only the service knows how much of a response it stores.',
  'delivery.concurrency':
    'A receiver sees how many attempts it got at the same time, but not how many more were possible.',
  'delivery.order': 'An observed order does not show that the service guarantees it.',
  replay: 'A replay looks like any other attempt.',
  'replay.failed': 'The described API has no operation that returns a delivery.',
  'workspace.hidden': 'A 404 does not say whether the resource exists in another workspace.',
};

export function checkGaps(input: GapCheckInput): GapReport {
  const { traffic, profile, overrides, environment, eventTypes } = input;
  const { requests, attempts } = traffic;
  const rules = resolveRules(profile, overrides, environment);
  const signatures = findSignatures(
    input.checksSignatures ? attempts : [],
    listSecrets(input),
    resolveValues(profile, overrides, environment),
    rules.signature,
  );
  const retries = findRetries(attempts, rules);
  const findings: Readonly<Partial<Record<GapId, Finding>>> = {
    ...signatures.findings,
    ...compareRecords(requests, attempts),
    ...compareLimits(traffic, rules),
    ...retries.findings,
  };
  const data = listGaps(profile, overrides, environment).map(({ id, value }): GapResult => {
    const finding =
      findings[id] ?? checkRequests(id, requests, { environment, eventTypes }, value) ?? NO_EVIDENCE;
    return { gap: id, configured: value, ...finding };
  });
  return { data, other: listOtherDifferences(requests, attempts, retries.late), notes: signatures.notes };
}

/** The passed secrets, and those in recorded responses. */
function listSecrets({ secrets, traffic }: GapCheckInput): readonly string[] {
  const recorded = traffic.requests.flatMap(({ operation, responseJson }) => {
    const { secret } = Object(responseJson);
    return operation === 'createWebhook' && typeof secret === 'string' && !secret.includes(REMOVED)
      ? [secret]
      : [];
  });
  return [...new Set([...secrets, ...recorded])];
}

/** The overrides of the project with those that the differences lead to. An object keeps its other fields. */
export function mergeOverrides(overrides: Overrides, { data }: Pick<GapReport, 'data'>): Overrides {
  const changes = data.flatMap(({ gap, override }) => {
    if (override === null) return [];
    const earlier = overrides[gap];
    return [
      [gap, isObject(override) && isObject(earlier) ? { ...earlier, ...(override as object) } : override],
    ];
  });
  return { ...overrides, ...Object.fromEntries(changes) };
}
