/** Compares a recording of the service with the configured values of all gaps: confirmed, different, or no evidence. */
import * as v from 'valibot';
import type { Environment } from '../domain/credentials.ts';
import { type ConfigValue, type Gap, isConfigurable, type ProfileName } from '../profile/gap.ts';
import { type GapId, gaps } from '../profile/gaps.ts';
import { listGaps } from '../profile/list-gaps.ts';
import { addMissingFields, type Overrides, resolveRules, resolveValues } from '../profile/resolve-rules.ts';
import { compareResponses } from './compare-responses.ts';
import { type Evidence, type Finding, groupBy, judge, type Observation, toEvidence } from './finding.ts';
import { observeMessages } from './observe-messages.ts';
import { replay, type StartTarget } from './replay.ts';
import { observeRetries } from './retry-evidence.ts';
import { findSignatures } from './signature-evidence.ts';
import type { SortedRecording } from './sort-recording.ts';

export interface GapCheckInput {
  readonly recording: SortedRecording;
  /** Endpoint secrets. They are only used to verify deliveries. */
  readonly secrets: readonly string[];
  readonly profile: ProfileName;
  readonly overrides: Overrides;
  readonly environment: Environment;
  /** False if a scheme other than `svc` is configured: the gaps of signatures then have no effect. */
  readonly checksSignatures: boolean;
  readonly startTarget: StartTarget;
}

export interface GapResult extends Finding {
  readonly gap: GapId;
  readonly configured: ConfigValue;
  /** The value for `overrides`; null if nothing has to change, or if the recording does not show a valid one. */
  readonly override: ConfigValue | null;
}

export interface GapReport {
  /** In the order of the gap register. */
  readonly data: readonly GapResult[];
  readonly other: readonly { readonly text: string; readonly evidence: readonly Evidence[] }[];
  readonly notes: readonly string[];
}

export async function checkGaps(input: GapCheckInput): Promise<GapReport> {
  const { recording, secrets, profile, overrides, environment } = input;
  // Servers in front of an API send 5xx.
  const requests = recording.requests.filter(({ status }) => status >= 200 && status < 500);
  const values = resolveValues(profile, overrides, environment);
  const { retry } = resolveRules(profile, overrides, environment);
  const signatures = findSignatures(input.checksSignatures ? recording.attempts : [], secrets, values);
  const observations = [
    ...signatures.observations,
    ...observeMessages({ ...recording, requests }, values),
    ...observeRetries(recording.attempts, retry),
  ];
  // With the values that it shows, because with another field for the payload the emulator accepts no event.
  const adopted = mergeOverrides(overrides, toResults(input, observations));
  const pairs = await replay(requests, { ...adopted, 'rate.limit': 'off' }, input.startTarget);
  observations.push(...compareResponses(pairs));
  const ofNoGap = observations.filter(({ gap, isSame }) => gap === null && !isSame);
  const others = groupBy(ofNoGap, ({ text }) => text);
  return {
    data: toResults(input, observations),
    other: Array.from(others, ([text, group]) => ({ text, evidence: toEvidence(group.slice(0, 1)) })),
    notes: signatures.note === null ? [] : [signatures.note],
  };
}

function toResults(
  { profile, overrides, environment }: GapCheckInput,
  observations: readonly Observation[],
): GapResult[] {
  return listGaps(profile, overrides, environment).map(({ id: gap, value: configured }) => {
    const entry: Gap = gaps[gap];
    const ofGap = observations.filter((each) => each.gap === gap);
    if (!isConfigurable(entry)) return { gap, configured, ...judge(ofGap, null), override: null };
    const finding = judge(ofGap, configured);
    const { verdict, observed } = finding;
    const isValid = observed !== null && v.is(entry.schema, addMissingFields(observed, configured));
    return { gap, configured, ...finding, override: verdict === 'different' && isValid ? observed : null };
  });
}

/** The overrides of the project with those that the differences lead to. */
export function mergeOverrides(overrides: Overrides, results: readonly GapResult[]): Overrides {
  const changes = results.filter(({ override }) => override !== null);
  const merged = changes.map(({ gap, override }) => [gap, addMissingFields(override, overrides[gap])]);
  return { ...overrides, ...Object.fromEntries(merged) };
}
