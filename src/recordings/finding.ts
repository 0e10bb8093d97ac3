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
  /** What the service does; null if the exchange does not show it exactly. */
  readonly value: ConfigValue | null;
  readonly text: string;
}

/** The value of a gap without an override. */
export const AS_DESCRIBED = 'as described';

/**
 * Compares what an exchange shows with the configured value.
 * @param value null if it is another one that is not known
 */
export function compareValue(
  configured: GapValues,
  exchange: Exchange,
  gap: GapId,
  value: string | number | null,
  field?: string,
): Observation {
  const isFixed = !Object.hasOwn(configured, gap);
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

/**
 * Judges each field of a value that is an object, and any other value as a whole.
 * @param configured null for a gap without an override
 */
export function judge(observations: readonly Observation[], configured: ConfigValue | null): Finding {
  if (observations.length === 0) return { verdict: 'no_evidence', observed: null, evidence: [] };
  if (observations.every(({ field }) => field === undefined)) return judgeValue(observations, configured);
  const byField = groupBy(observations, ({ field = '' }) => field);
  const findings = Array.from(byField, ([field, group]) => ({
    field,
    ...judgeValue(group, Object(configured)[field]),
  }));
  const different = findings.filter(({ verdict }) => verdict === 'different');
  const relevant = different.length === 0 ? findings : different;
  const known = relevant.flatMap(({ field, observed }) => (observed === null ? [] : [[field, observed]]));
  return {
    verdict: different.length === 0 ? 'confirmed' : 'different',
    observed: known.length === 0 ? null : Object.fromEntries(known),
    evidence: relevant.flatMap(({ evidence }) => evidence),
  };
}

/**
 * The most frequent behavior counts, and the configured one if another one is as frequent. Without an override, each difference
 * counts.
 */
function judgeValue(observations: readonly Observation[], configured: ConfigValue | null): Finding {
  const same = observations.filter(({ isSame }) => isSame);
  const others = observations.filter(({ isSame }) => !isSame);
  const groups = [...groupBy(others, ({ value }) => JSON.stringify(value)).values()];
  const [mostFrequent = []] = groups.sort((a, b) => b.length - a.length);
  if (mostFrequent.length <= (configured === null ? 0 : same.length))
    return { verdict: 'confirmed', observed: configured ?? AS_DESCRIBED, evidence: toEvidence(same) };
  if (configured !== null) {
    const [first] = mostFrequent;
    return { verdict: 'different', observed: first?.value ?? null, evidence: toEvidence(mostFrequent) };
  }
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  const observed = firsts.map(({ value }) => value).join('; ');
  return { verdict: 'different', observed, evidence: toEvidence(firsts) };
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
