/** Describes a sequence that breaks a rule: what happened, why it matters, and what to do. */
import type { WebhookSender } from '../../profile/senders.ts';
import { type FuzzRule, fuzzRules, type Violation } from '../play-rules.ts';
import { fillSenderText } from '../receiver-check.ts';
import { describeResponses, isAccepted } from '../receiver-client.ts';
import type { Play } from '../receiver-session.ts';
import { type DeliverySequence, describeStep, type EventTemplate } from '../sequence.ts';
import { getTamperedDelivery } from '../tampered-deliveries.ts';

/** A play of a sequence that broke a rule. */
export interface FailingPlay extends Play {
  readonly sequence: DeliverySequence;
  /** The one to report. */
  readonly violation: Violation;
}

/** Also the JSON form. */
export interface FuzzFailure {
  readonly rule: FuzzRule;
  /** Its section in the service description; null for another sender. */
  readonly reference: string | null;
  /** What the rule demands. */
  readonly summary: string;
  /** What happened. */
  readonly message: string;
  /** Why it matters. */
  readonly reason: string;
  /** What to do. */
  readonly remedy: string;
  /** The number of steps of the sequence that failed first. */
  readonly original_steps: number;
  readonly steps: readonly {
    /** 1 for the first step. */
    readonly step: number;
    readonly sent: string;
    readonly received: string;
    /** The rules that the step shows to be broken. */
    readonly broken: readonly FuzzRule[];
  }[];
  /** The events whose payload differs from that of an ordinary one, by their number in `steps`. */
  readonly unusual_events: readonly { readonly event: number; readonly payload: string }[];
  /** The smallest sequence. */
  readonly sequence: DeliverySequence;
}

const RESTART_REMEDY =
  'What your receiver stores, and the side effects that are observed, must survive a restart.';

/** @param template an event with an ordinary payload */
export function describeFuzzFailure(
  { sequence, record: { exchanges }, violations, violation }: FailingPlay,
  template: EventTemplate,
  sender: WebhookSender,
): FuzzFailure {
  const { reference, summary, reason, remedy } = fuzzRules[violation.rule];
  const responsesOf = (index: number) =>
    exchanges.filter(({ step }) => step === index).map(({ response }) => response);
  const step = sequence.steps[violation.step ?? -1];
  const isAcceptedAttack = step?.kind === 'attack' && responsesOf(violation.step ?? -1).some(isAccepted);
  const remedies: string[] = isAcceptedAttack ? [getTamperedDelivery(step.attack).remedy, remedy] : [remedy];
  if (sequence.steps.some(({ kind }) => kind === 'restart')) remedies.push(RESTART_REMEDY);
  return {
    rule: violation.rule,
    reference: sender.name === 'svc' ? reference : null,
    summary,
    message: violation.message,
    reason,
    remedy: fillSenderText(remedies.join(' '), sender),
    original_steps: sequence.steps.length,
    steps: sequence.steps.map((step, index) => ({
      step: index + 1,
      sent: describeStep(sequence, step, index),
      received: describeResponses(...responsesOf(index)),
      broken: [...new Set(violations.filter(({ step }) => step === index).map(({ rule }) => rule))],
    })),
    unusual_events: sequence.events.flatMap(({ payload }, index) =>
      payload === template.payload ? [] : [{ event: index + 1, payload }],
    ),
    sequence,
  };
}
