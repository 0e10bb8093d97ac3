/** What observations of the recorded service say about a gap. */
import type { ConfigValue } from '../profile/gap.ts';
import type { GapId, GapValues } from '../profile/gaps.ts';
import type { Exchange } from './read-recording.ts';

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
  readonly evidence: readonly Evidence[];
}

/** What one exchange shows about a gap. */
export interface Observation {
  /** Null if no gap is about it. */
  readonly gap: GapId | null;
  /** The field of the value, if the value is an object. */
  readonly field?: string | undefined;
  readonly exchange: Exchange;
  /** Whether the service behaves as the emulator. */
  readonly isSame: boolean;
  /** What the service does, if it is not the same; null if the exchange does not show it exactly. */
  readonly value: ConfigValue | null;
  readonly text: string;
}

/** The value of a gap without an override. */
export const AS_DESCRIBED = 'as described';

/**
 * Compares what an exchange shows with the configured value.
 * @param value null if it is another one that is not known
 * @param field as in {@link Observation}
 */
export function compareValue(
  configured: GapValues,
  exchange: Exchange,
  gap: GapId,
  value: string | number | null,
  field?: string,
): Observation {
  const isFixed = !(gap in configured);
  const answer: unknown = isFixed ? AS_DESCRIBED : configured[gap as keyof GapValues];
  const own = field === undefined ? answer : Object(answer)[field];
  const text = isFixed ? String(value) : `${value ?? 'another value'}; svc: ${own}`;
  return { gap, field, exchange, isSame: value === own, value, text };
}

/** Places that are listed for one gap. */
const MAX_EVIDENCE = 5;

export function toEvidence(observations: readonly Observation[]): Evidence[] {
  return observations.slice(0, MAX_EVIDENCE).map(({ exchange, text }) => {
    const { file, entry, at, method, url, status } = exchange;
    const request = `${method} ${url.pathname}: ${status || 'no response'}`;
    return { file, entry, at: new Date(at).toISOString(), text: `${request}, ${text}` };
  });
}

/** The most frequent behavior counts, and the configured one if another one is as frequent. */
export function judge(configured: ConfigValue, observations: readonly Observation[]): Finding {
  const same = observations.filter(({ isSame }) => isSame);
  const groups = groupDifferent(observations);
  const [mostFrequent = []] = groups;
  if (observations.length === 0) return { verdict: 'no_evidence', observed: null, evidence: [] };
  if (same.length >= mostFrequent.length)
    return { verdict: 'confirmed', observed: configured, evidence: toEvidence(same) };
  const [known = mostFrequent] = groups.filter(([first]) => first?.value !== null);
  return { verdict: 'different', observed: known[0]?.value ?? null, evidence: toEvidence(known) };
}

/** For a gap that cannot be overridden: one difference counts, even if most observations are as described. */
export function judgeFixed(observations: readonly Observation[]): Finding {
  const firsts = groupDifferent(observations).flatMap((group) => group.slice(0, 1));
  if (firsts.length === 0) return judge(AS_DESCRIBED, observations);
  const observed = firsts.map(({ value }) => value).join('; ');
  return { verdict: 'different', observed, evidence: toEvidence(firsts) };
}

/** The observations that differ, grouped by their value, the most frequent first. */
function groupDifferent(observations: readonly Observation[]): Observation[][] {
  const different = observations.filter(({ isSame }) => !isSame);
  const byValue = groupBy(different, ({ value }) => JSON.stringify(value));
  return [...byValue.values()].sort((a, b) => b.length - a.length);
}

/** For a gap whose value is an object: one finding from those for its fields. */
export function judgeFields(configured: ConfigValue, observations: readonly Observation[]): Finding {
  const byField = groupBy(observations, ({ field = '' }) => field);
  const findings = Array.from(byField, ([name, group]) => ({
    name,
    ...judge(Object(configured)[name], group),
  }));
  const isDifferent = findings.some(({ verdict }) => verdict === 'different');
  const relevant = findings.filter(({ verdict }) => verdict === 'different' || !isDifferent);
  const values = relevant.flatMap(({ name, observed }) => (observed === null ? [] : [[name, observed]]));
  return {
    verdict: isDifferent ? 'different' : 'confirmed',
    observed: values.length === 0 ? null : Object.fromEntries(values),
    evidence: relevant.flatMap(({ evidence }) => evidence),
  };
}

/** The items by their keys, in the order of the first of each. */
export function groupBy<Item>(items: readonly Item[], toKey: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(toKey(item)) ?? [];
    groups.set(toKey(item), group);
    group.push(item);
  }
  return groups;
}
