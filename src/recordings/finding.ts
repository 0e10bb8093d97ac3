/** Compares what a recording shows with the configured value of a gap. */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigValue } from '../profile/gap.ts';
import type { Exchange } from './exchange.ts';

/** A place in a recording. It never contains a secret. */
export interface Evidence {
  readonly file: string;
  readonly entry: string;
  readonly at: string;
  readonly text: string;
}

export interface Finding {
  readonly verdict: 'confirmed' | 'different' | 'no_evidence';
  /** What the service does; null without evidence, and if it is not known exactly. */
  readonly observed: ConfigValue | null;
  /** What would be needed to follow the service, if no override can express it. */
  readonly needed: string | null;
  readonly evidence: readonly Evidence[];
}

/** One observation. */
export interface Observation<Value = ConfigValue> {
  readonly exchange: Exchange;
  readonly value: Value;
  /** What the exchange shows; default: the value. */
  readonly text?: string;
}

type Observations = readonly Observation<unknown>[];

/** Places that are listed for one gap. */
const MAX_EVIDENCE = 5;

/** What would be needed if the recording does not show the value of the service. */
export const UNKNOWN_VALUE = 'the exact value, which the recording does not show';

export const NO_EVIDENCE: Finding = { verdict: 'no_evidence', observed: null, needed: null, evidence: [] };

export function toEvidence(observations: Observations): Evidence[] {
  return observations.slice(0, MAX_EVIDENCE).map(({ exchange, value, text }) => {
    const { file, entry, at, method, url, status } = exchange;
    const shown = text ?? (typeof value === 'string' ? value : JSON.stringify(value));
    const request = `${method} ${url.pathname}: ${status || 'no response'}`;
    return { file, entry, at: new Date(at).toISOString(), text: `${request}, ${shown}` };
  });
}

export function confirm(observed: ConfigValue, observations: Observations): Finding {
  return { verdict: 'confirmed', observed, needed: null, evidence: toEvidence(observations) };
}

export function differ(observed: ConfigValue | null, observations: Observations, needed = ''): Finding {
  return { verdict: 'different', observed, needed: needed || null, evidence: toEvidence(observations) };
}

/**
 * Compares the most frequent value. The configured one counts if another one is as frequent.
 * @param needed what would be needed for null, which is a value that the gap cannot have
 */
export function compareObservations(
  configured: ConfigValue,
  observations: readonly Observation<ConfigValue | null>[],
  needed?: string,
): Finding {
  const byValue = groupBy(observations, ({ value }) => JSON.stringify(value));
  const [mostFrequent] = byValue.toSorted((a, b) => b.length - a.length);
  const configuredOnes = byValue.find(([first]) => isDeepStrictEqual(first?.value, configured));
  if (mostFrequent === undefined) return NO_EVIDENCE;
  if (configuredOnes?.length === mostFrequent.length) return confirm(configured, configuredOnes);
  const observed = mostFrequent[0]?.value ?? null;
  return differ(observed, mostFrequent, observed === null ? needed : undefined);
}

/** What a service does that a gap without an override excludes; null if it behaves as described. */
export type Deviation = string | null;

/** For a gap that cannot be overridden: one deviation is a difference, even if most observations are as described. */
export function compareFixed(observations: readonly Observation<ConfigValue | null>[]): Finding {
  const deviations = observations.filter(({ value }) => value !== null);
  const firsts = groupBy(deviations, ({ value }) => String(value)).flatMap((group) => group.slice(0, 1));
  const texts = firsts.map(({ value }) => value).join('; ');
  if (firsts.length > 0) return differ(texts, firsts, texts);
  return observations.length === 0 ? NO_EVIDENCE : confirm('as described', observations);
}

/** What a number is at least and at most. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/**
 * Compares the most frequent exact number. Without one, only a configured number outside of the limits is a difference.
 * @param format returns what the configuration file would contain
 */
export function compareRange(
  configured: number,
  observations: readonly Observation<Range>[],
  format: (value: number) => ConfigValue = Number,
): Finding {
  const exact = observations.flatMap(({ value: { min, max }, ...rest }) =>
    min !== undefined && min === max ? [{ ...rest, value: format(min) }] : [],
  );
  if (exact.length > 0) return compareObservations(format(configured), exact);
  const refuting = observations.filter(
    ({ value: { min = 0, max = Infinity } }) => min > configured || max < configured,
  );
  return refuting.length > 0 ? differ(null, refuting, UNKNOWN_VALUE) : NO_EVIDENCE;
}

/** One finding for a gap whose value is an object, from those for its fields. */
export function joinFindings(fields: Readonly<Record<string, Finding>>): Finding {
  const verdicts = Object.values(fields).map(({ verdict }) => verdict);
  const verdict = (['different', 'confirmed'] as const).find((each) => verdicts.includes(each));
  const relevant = Object.entries(fields).filter(([, finding]) => finding.verdict === verdict);
  if (verdict === undefined) return NO_EVIDENCE;
  const known = relevant.filter(([, { observed, needed }]) => observed !== null && needed === null);
  const values = known.map(([name, { observed }]) => [name, observed]);
  const needed = relevant.flatMap(([name, finding]) => (finding.needed ? `${name}: ${finding.needed}` : []));
  return {
    verdict,
    observed: known.length === 0 ? null : Object.fromEntries(values),
    needed: needed.join('; ') || null,
    evidence: relevant.flatMap(([, { evidence }]) => evidence),
  };
}

export function groupBy<Item>(items: readonly Item[], toKey: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(toKey(item)) ?? [];
    groups.set(toKey(item), group);
    group.push(item);
  }
  return [...groups.values()];
}
