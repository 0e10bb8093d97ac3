/** Compares what a recording shows with the configured value of a gap. */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigValue } from '../profile/gap.ts';
import type { Exchange } from './exchange.ts';

export type Verdict = 'confirmed' | 'different' | 'no_evidence';

/** A place in a recording. It never contains a secret. */
export interface Evidence {
  readonly file: string;
  readonly entry: string;
  readonly at: string;
  readonly text: string;
}

export interface Finding {
  readonly verdict: Verdict;
  /** What the service does; null without evidence, and if it is not known exactly. */
  readonly observed: ConfigValue | null;
  /** The value for `overrides`; null if nothing has to change, or if no override can express it. */
  readonly override: ConfigValue | null;
  /** What would be needed to follow the service, if no override can express it. */
  readonly needed: string | null;
  readonly evidence: readonly Evidence[];
}

/** One observation. */
export interface Sighting<Value = ConfigValue> {
  readonly exchange: Exchange;
  readonly value: Value;
  readonly text: string;
}

/** Places that are listed for one gap. */
const MAX_EVIDENCE = 5;

export const NO_EVIDENCE: Finding = {
  verdict: 'no_evidence',
  observed: null,
  override: null,
  needed: null,
  evidence: [],
};

export function toEvidence(sightings: readonly Omit<Sighting, 'value'>[]): Evidence[] {
  return sightings.slice(0, MAX_EVIDENCE).map(({ exchange: { file, entry, at }, text }) => ({
    file,
    entry,
    at: new Date(at).toISOString(),
    text,
  }));
}

export function confirm(observed: ConfigValue, sightings: readonly Omit<Sighting, 'value'>[]): Finding {
  return { ...NO_EVIDENCE, verdict: 'confirmed', observed, evidence: toEvidence(sightings) };
}

/** @param change the value for `overrides`, or what would be needed */
export function differ(
  observed: ConfigValue | null,
  sightings: readonly Omit<Sighting, 'value'>[],
  change: { readonly override: ConfigValue } | { readonly needed: string },
): Finding {
  return { ...NO_EVIDENCE, verdict: 'different', observed, evidence: toEvidence(sightings), ...change };
}

/** Confirms the configured value if at least half of the sightings show it. Otherwise the most frequent value is the override. */
export function compareSightings(configured: ConfigValue, sightings: readonly Sighting[]): Finding {
  if (sightings.length === 0) return NO_EVIDENCE;
  const same = sightings.filter(({ value }) => isDeepStrictEqual(value, configured));
  if (2 * same.length >= sightings.length) return confirm(configured, same);
  const others = sightings.filter((sighting) => !same.includes(sighting));
  const [mostFrequent = others] = groupBy(others, ({ value }) => JSON.stringify(value)).sort(
    (a, b) => b.length - a.length,
  );
  const [{ value }] = mostFrequent as [Sighting];
  return differ(value, mostFrequent, { override: value });
}

/**
 * As {@link compareSightings}, for a gap that cannot be overridden. The value of a sighting is whether it is as described.
 * @param isEachCounted whether one unexpected sighting is a difference, even if most are as described
 */
export function compareFixed(sightings: readonly Sighting<boolean>[], isEachCounted = false): Finding {
  const unexpected = sightings.filter(({ value }) => !value);
  const texts = [...new Set(unexpected.map(({ text }) => text))].join('; ');
  if (unexpected.length > (isEachCounted ? 0 : sightings.length / 2))
    return differ(texts, unexpected, { needed: texts });
  return sightings.length === 0
    ? NO_EVIDENCE
    : confirm(
        'as described',
        sightings.filter(({ value }) => value),
      );
}

/** What is known about a number. */
export interface RangeSightings {
  /** The number is at least the value of each. */
  readonly min?: readonly Sighting<number>[];
  /** The number is at most the value of each. */
  readonly max?: readonly Sighting<number>[];
  /** The number is the value of each. */
  readonly exact?: readonly Sighting<number>[];
}

interface RangeOptions {
  /** The most likely number from `min` to `max`; null if there is none. Default: only a number that is certain. */
  propose?(min: number, max: number): number | null;
  /** What the configuration file would contain. */
  toConfigValue?(value: number): ConfigValue;
}

/** Confirms the configured number if it is the one that would be proposed. A number that is possible but not certain is not confirmed. */
export function compareRange(
  configured: number,
  { min = [], max = [], exact = [] }: RangeSightings,
  { propose = (least, most) => (least === most ? least : null), toConfigValue = Number }: RangeOptions = {},
): Finding {
  const lowest = [...exact, ...min].sort((a, b) => b.value - a.value)[0];
  const highest = [...exact, ...max].sort((a, b) => a.value - b.value)[0];
  const limits = [lowest, highest].filter((limit) => limit !== undefined);
  const [least, most] = [lowest?.value ?? 0, highest?.value ?? Number.POSITIVE_INFINITY];
  if (limits.length === 0 || least > most) return NO_EVIDENCE;
  const value = propose(least, most);
  if (value === configured) return confirm(toConfigValue(configured), limits);
  if (configured >= least && configured <= most) return NO_EVIDENCE;
  if (value === null) {
    return differ(null, limits, { needed: 'the exact value, which the recording does not show' });
  }
  return differ(toConfigValue(value), limits, { override: toConfigValue(value) });
}

export function groupBy<Item>(items: readonly Item[], toKey: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(toKey(item));
    if (group === undefined) groups.set(toKey(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
