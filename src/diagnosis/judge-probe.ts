/** What a probe of a receiver shows, in addition to the recorded attempt. */
import { formatDuration } from '../domain/duration.ts';
import { formatCount } from '../domain/message-parts.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import { type Judgment, type SentenceName, say, sayFix } from './sentences.ts';

/** Real time after which a probe sends no further request. */
export const PROBE_TIME_LIMIT_MS = 60_000;
/** Why a probe ended before all known mistakes were tried. */
export type ProbeStop = 'no_response' | 'rate_limit' | 'time_limit' | 'large_body';

/**
 * How the receiver responded. The sentences `probe_…` say what each result means.
 * - `rejected`: it accepted none of the `tried` signatures of mistakes.
 */
export type ProbeResult =
  | {
      readonly result:
        | 'accepted'
        | 'random_accepted'
        | 'unreadable_accepted'
        | 'signature_accepted'
        | 'inconsistent';
    }
  | { readonly result: 'rejected'; readonly tried: number; readonly stop: ProbeStop | null };

/** @param judgment of the attempt, whose response had the status */
export function judgeProbe(
  probe: ProbeResult,
  judgment: Judgment,
  status: number | null,
  delivery: Parameters<typeof toDeliveryHints>[0],
  values: Readonly<Record<string, string>>,
): Judgment {
  const { cause, evidence, hints, layer } = judgment;
  const own = toDeliveryHints(delivery);
  const add = (fact: string, ownHints: Judgment['hints']): Judgment => ({
    ...judgment,
    evidence: [fact, ...evidence],
    hints: ownHints,
  });
  const conclude = (name: SentenceName, facts: string[], change: Partial<Judgment> = {}): Judgment => ({
    ...judgment,
    certainty: 'certain',
    detail: `Your receiver returned ${status}. ${say(name)}`,
    evidence: [...facts, ...evidence],
    hints: [sayFix(name, values)],
    ...change,
  });
  switch (probe.result) {
    case 'accepted':
      return conclude('probe_accepted', [], { evidence: [], hints: [own.replay] });
    case 'random_accepted':
      return conclude('probe_random_accepted', [], { cause: 'signature_rejected', evidence: [] });
    case 'unreadable_accepted': {
      const remedy = sayFix('probe_unreadable_accepted', values).text;
      const mistake = {
        reason: 'timestamp_misread',
        detail: say('probe_unreadable_accepted'),
        remedy,
      } as const;
      return conclude('probe_unreadable_accepted', [], { cause: 'signature_rejected', mistake });
    }
    case 'inconsistent':
      return conclude('probe_inconsistent', []);
    case 'signature_accepted': {
      const fact = say('probe_differs_fact');
      if (layer?.kind !== 'signature_time') {
        const later = cause === 'signature_rejected' ? 'rejected' : cause;
        return conclude('probe_differs', [fact], { cause: later });
      }
      // If the clock of the receiver was wrong, the cause would be known, and there would be no probe.
      const remedy = hints[0]?.text ?? '';
      const mistake = { reason: 'timestamp_misread', detail: say('probe_time'), remedy } as const;
      return conclude('probe_time', [fact], { certainty: 'likely', mistake, hints });
    }
  }
  const count = formatCount(probe.tried, 'known mistake');
  if (probe.stop !== null) {
    const name = `probe_${probe.stop}` as const;
    const fact = say(name, { count, limit: formatDuration(PROBE_TIME_LIMIT_MS) });
    return add(fact, [sayFix(name, values), ...(probe.stop === 'large_body' ? [] : [own.probe])]);
  }
  const names = { signature_rejected: 'probe_verified', receiver_error: 'probe_fails' } as const;
  const name = cause in names ? names[cause as keyof typeof names] : 'probe_constant';
  return conclude(name, [say('probe_tried', { count })], {
    certainty: 'likely',
    hints: [sayFix(name, values), own.secret, own.verify],
  });
}
