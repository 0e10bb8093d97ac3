/** What a probe of a receiver shows, in addition to the recorded attempt. */
import { formatDuration } from '../domain/duration.ts';
import { formatCount } from '../domain/message-parts.ts';
import { type Judgment, type SentenceName, say, sayFix, toNextSteps, type Values } from './sentences.ts';

/** Real time after which a probe sends no further request. */
export const PROBE_TIME_LIMIT_MS = 60_000;

/** Why a probe ended before all known mistakes were tried. */
export const probeStops = ['no_response', 'rate_limit', 'time_limit', 'large_body'] as const;

export interface ProbeResult {
  /** How the receiver responded. The sentences `probe_…` say what each result means. */
  readonly result:
    | (typeof probeStops)[number]
    | 'accepted'
    | 'random_accepted'
    | 'unreadable_accepted'
    | 'differs'
    | 'inconsistent'
    | 'digests'
    | 'varies'
    | 'constant';
  /** Number of mistakes that were tried. */
  readonly tried: number;
  /** What the receiver returned for some of them, if it `varies`. */
  readonly other?: string;
  /** The first character of the `digests` that it rejects. */
  readonly start?: string;
}

/** @param judgment of the attempt */
export function judgeProbe(
  { result, tried, other = '', start = '' }: ProbeResult,
  judgment: Judgment,
  values: Values,
): Judgment {
  const { cause, evidence, layer } = judgment;
  const next = toNextSteps(values);
  const count = formatCount(tried, 'known mistake');
  const conclude = (name: SentenceName, change: Partial<Judgment> = {}): Judgment => ({
    ...judgment,
    certainty: 'certain',
    detail: `${say('returned', values)} ${say(name)}`,
    hints: [sayFix(name, values)],
    ...change,
  });
  const concludeMisread = (name: SentenceName, change: Partial<Judgment> = {}) => {
    const remedy = sayFix(name, values).text;
    const mistake = { reason: 'timestamp_misread', detail: say(name), remedy } as const;
    return conclude(name, { cause: 'signature_rejected', mistake, ...change });
  };
  switch (result) {
    // The evidence is about the recorded attempt, and these are about the receiver now.
    case 'accepted':
      return conclude('probe_accepted', { evidence: [], hints: [next.replay] });
    case 'random_accepted':
      return conclude('probe_random_accepted', { cause: 'signature_rejected', evidence: [] });
    case 'unreadable_accepted':
      return concludeMisread('probe_unreadable_accepted');
    case 'inconsistent':
      return conclude('probe_inconsistent');
    case 'digests':
      return conclude('probe_digests', {
        cause: 'signature_rejected',
        detail: `${say('returned', values)} ${say('probe_digests', { start })}`,
      });
    case 'differs': {
      const shown = [say('probe_differs_fact'), ...evidence];
      // If the clock of the receiver was wrong, the cause would be known, and there would be no probe.
      if (layer?.kind === 'signature_time')
        return concludeMisread('probe_time', { certainty: 'likely', evidence: shown });
      const later = cause === 'signature_rejected' ? 'rejected' : cause;
      return conclude('probe_differs', { cause: later, evidence: shown });
    }
    case 'varies':
      return conclude('probe_varies', {
        certainty: 'likely',
        evidence: [say('probe_tried', { count }), say('probe_other', { other }), ...evidence],
        hints: [sayFix('probe_varies', values), next.verify, next.secret],
      });
    case 'constant': {
      // The layer says more.
      if (cause === 'rejected' && layer !== null) {
        return {
          ...judgment,
          evidence: [...evidence, say('probe_tried', { count })],
          hints: judgment.hints.filter(({ command }) => command !== next.probe.command),
        };
      }
      const names = { signature_rejected: 'probe_verified', receiver_error: 'probe_fails' } as const;
      const name = cause in names ? names[cause as keyof typeof names] : 'probe_constant';
      return conclude(name, {
        certainty: 'likely',
        evidence: [say('probe_tried', { count }), ...evidence],
        hints: [sayFix(name, values), next.secret, next.verify],
      });
    }
    default: {
      const fact = say(`probe_${result}`, { count, limit: formatDuration(PROBE_TIME_LIMIT_MS) });
      const again = result === 'large_body' ? [] : [next.probe];
      return {
        ...judgment,
        evidence: [fact, ...evidence],
        hints: [sayFix(`probe_${result}`, values), ...again],
      };
    }
  }
}
