/** Compares what a recording shows with the configured value of a gap. */
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../contract/exchange.ts';
import type { ConfigValue } from '../profile/gap.ts';

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
export interface Sighting<Value = ConfigValue> {
  readonly exchange: Exchange;
  readonly value: Value;
  /** What the exchange shows; default: the value. */
  readonly text?: string;
}

/** Places that are listed for one gap. */
const MAX_EVIDENCE = 5;

export const NO_EVIDENCE: Finding = { verdict: 'no_evidence', observed: null, needed: null, evidence: [] };

export function toEvidence(sightings: readonly Sighting<unknown>[]): Evidence[] {
  return sightings.slice(0, MAX_EVIDENCE).map(({ exchange, value, text }) => {
    const { file, entry, at, method, url, status } = exchange;
    const shown = text ?? (typeof value === 'string' ? value : JSON.stringify(value));
    const request = `${method} ${url.pathname}: ${status || 'no response'}`;
    return { file, entry, at: new Date(at).toISOString(), text: `${request}, ${shown}` };
  });
}

export function confirm(observed: ConfigValue, sightings: readonly Sighting<unknown>[]): Finding {
  return { verdict: 'confirmed', observed, needed: null, evidence: toEvidence(sightings) };
}

export function differ(
  observed: ConfigValue | null,
  sightings: readonly Sighting<unknown>[],
  needed: string | null = null,
): Finding {
  return { verdict: 'different', observed, needed, evidence: toEvidence(sightings) };
}

/** Compares the most frequent value. The configured one counts if another one is as frequent. */
export function compareSightings(configured: ConfigValue, sightings: readonly Sighting[]): Finding {
  const same = sightings.filter(({ value }) => isDeepStrictEqual(value, configured));
  if (sightings.length === 0) return NO_EVIDENCE;
  const others = sightings.filter((sighting) => !same.includes(sighting));
  const [mostFrequent = []] = groupBy(others, ({ value }) => JSON.stringify(value)).sort(
    (a, b) => b.length - a.length,
  );
  if (same.length >= mostFrequent.length) return confirm(configured, same);
  return differ(mostFrequent[0]?.value ?? null, mostFrequent);
}

/** What a service does that a gap without an override excludes; null if it behaves as described. */
export type Deviation = string | null;

/** For a gap that cannot be overridden: one deviation is a difference, even if most sightings are as described. */
export function compareFixed(sightings: readonly Sighting<Deviation>[]): Finding {
  const deviations = sightings.filter(({ value }) => value !== null);
  const texts = [...new Set(deviations.map(({ value }) => value))].join('; ');
  if (deviations.length > 0) return differ(texts, deviations, texts);
  return sightings.length === 0 ? NO_EVIDENCE : confirm('as described', sightings);
}

/** What a number is at least and at most. */
export interface Range {
  readonly min?: number;
  readonly max?: number;
}

/**
 * Confirms the configured number if it is certain: both limits are the same, or only one usual number is between them.
 * If the sightings contradict each other, the most frequent exact number counts.
 * @param format returns what the configuration file would contain
 */
export function compareRange(
  configured: number,
  sightings: readonly Sighting<Range>[],
  format: (value: number) => ConfigValue = Number,
  usual: readonly number[] = [],
): Finding {
  const least = sightings.reduce((number, { value }) => Math.max(number, value.min ?? 0), 0);
  const most = sightings.reduce((number, { value }) => Math.min(number, value.max ?? number), Infinity);
  if (sightings.length === 0) return NO_EVIDENCE;
  if (least > most) {
    const exact = sightings.flatMap(({ value: { min, max }, ...rest }) =>
      min !== undefined && min === max ? [{ ...rest, value: format(min) }] : [],
    );
    return compareSightings(format(configured), exact);
  }
  const limits = sightings.filter(({ value: { min, max } }) => min === least || max === most);
  const possible = least === most ? [least] : usual.filter((number) => number >= least && number <= most);
  const isLimited = least > 0 && most < Infinity;
  const value = isLimited && possible.length === 1 ? possible[0] : undefined;
  if (value === configured) return confirm(format(configured), limits);
  if (configured >= least && configured <= most) return NO_EVIDENCE;
  if (value !== undefined) return differ(format(value), limits);
  return differ(null, limits, 'the exact value, which the recording does not show');
}

/** One finding for a gap whose value is an object, from those for its fields. */
export function joinFindings(fields: Readonly<Record<string, Finding>>): Finding {
  const select = (verdict: Finding['verdict']) =>
    Object.entries(fields).filter(([, finding]) => finding.verdict === verdict);
  const [relevant = []] = [select('different'), select('confirmed')].filter(({ length }) => length > 0);
  const known = relevant.flatMap(([name, { observed, needed }]) =>
    observed === null || needed !== null ? [] : [[name, observed] as const],
  );
  const needed = relevant.flatMap(([name, finding]) => (finding.needed ? `${name}: ${finding.needed}` : []));
  return {
    verdict: relevant[0]?.[1].verdict ?? 'no_evidence',
    observed: known.length === 0 ? null : Object.fromEntries(known),
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
