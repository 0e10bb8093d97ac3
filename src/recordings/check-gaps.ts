/** Compares a recording of the service with the configured values of all gaps: confirmed, different, or no evidence. */
import * as v from 'valibot';
import type { Environment } from '../domain/credentials.ts';
import { isObject } from '../domain/json.ts';
import type { ProfileName } from '../profile/gap.ts';
import { type ConfigValue, type Gap, isConfigurable } from '../profile/gap.ts';
import { type GapId, gaps } from '../profile/gaps.ts';
import { listGaps } from '../profile/list-gaps.ts';
import { type Overrides, resolveRules, resolveValues } from '../profile/resolve-rules.ts';
import { type Finding, NO_EVIDENCE } from './finding.ts';
import { compareMessages, type OtherDifference } from './record-shapes.ts';
import { checkRequests } from './request-checks.ts';
import { compareTimeout, findRetries } from './retry-evidence.ts';
import { findSignatures } from './signature-evidence.ts';
import type { Traffic } from './sort-traffic.ts';

export interface GapCheckInput {
  readonly traffic: Traffic;
  /** Endpoint secrets. They are only used to verify deliveries. */
  readonly secrets: readonly string[];
  readonly profile: ProfileName;
  readonly overrides: Overrides;
  readonly environment: Environment;
  /** The event types that have a built-in fixture. */
  readonly eventTypes: ReadonlySet<string>;
  /** False if a scheme other than `svc` is configured: the gaps of signatures then have no effect. */
  readonly checksSignatures: boolean;
}

export interface GapResult extends Finding {
  readonly gap: GapId;
  readonly configured: ConfigValue;
  /** The value for `overrides`; null if nothing has to change, or if no override can express it. */
  readonly override: ConfigValue | null;
}

export interface GapReport {
  /** In the order of the gap register. */
  readonly data: readonly GapResult[];
  readonly other: readonly OtherDifference[];
  readonly notes: readonly string[];
}

export function checkGaps(input: GapCheckInput): GapReport {
  const { traffic, secrets, profile, overrides, environment, eventTypes } = input;
  const { requests, attempts } = traffic;
  const rules = resolveRules(profile, overrides, environment);
  const values = resolveValues(profile, overrides, environment);
  const signatures = findSignatures(input.checksSignatures ? attempts : [], secrets, values);
  const messages = compareMessages(traffic);
  const findings: Readonly<Partial<Record<GapId, Finding>>> = {
    ...signatures.findings,
    ...messages.findings,
    'delivery.timeout': compareTimeout(attempts, rules.delivery.attemptTimeoutMs),
    ...findRetries(attempts, rules.retry),
    ...checkRequests({ requests, values, environment, eventTypes }),
  };
  const data = listGaps(profile, overrides, environment).map(({ id: gap, value: configured, choices }) => {
    const finding = findings[gap] ?? NO_EVIDENCE;
    const { verdict, observed } = finding;
    const entry: Gap = gaps[gap];
    const unchanged: GapResult = { gap, configured, ...finding, override: null };
    if (verdict !== 'different' || observed === null || !isConfigurable(entry)) return unchanged;
    if (v.is(entry.schema, mergeFields(configured, observed))) return { ...unchanged, override: observed };
    const value = `the value ${JSON.stringify(observed)}; svc accepts ${choices.join(', ')}`;
    return { ...unchanged, needed: finding.needed === null ? value : `${finding.needed}; ${value}` };
  });
  return { data, other: messages.other, notes: signatures.note === null ? [] : [signatures.note] };
}

/** The overrides of the project with those that the differences lead to. */
export function mergeOverrides(overrides: Overrides, { data }: Pick<GapReport, 'data'>): Overrides {
  const changes = data.filter(({ override }) => override !== null);
  const merged = changes.map(({ gap, override }) => [gap, mergeFields(overrides[gap], override)]);
  return { ...overrides, ...Object.fromEntries(merged) };
}

/** An object keeps its other fields. */
function mergeFields(earlier: unknown, changed: unknown): unknown {
  return isObject(earlier) && isObject(changed) ? { ...earlier, ...changed } : changed;
}
