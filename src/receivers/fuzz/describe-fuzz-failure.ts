/** Describes a sequence that breaks a rule: what happened, why it matters, and what to do. */
import type { WebhookSender } from '../../profile/senders.ts';
import {
  type FuzzRule,
  findViolations,
  fuzzRules,
  type StepSummary,
  summarizeSteps,
  type Violation,
} from '../play-rules.ts';
import type { PlayRecord } from '../play-sequence.ts';
import { fillSenderText } from '../receiver-check.ts';
import { isAccepted } from '../receiver-client.ts';
import type { DeliverySequence, EventTemplate } from '../sequence.ts';
import { getTamperedDelivery } from '../tampered-deliveries.ts';

/** A sequence that broke a rule, with the play that showed it. */
export interface FailingPlay {
  readonly sequence: DeliverySequence;
  readonly record: PlayRecord;
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
  readonly steps: readonly StepSummary[];
  /** The events whose payload differs from that of an ordinary one, by their number in `steps`. */
  readonly unusual_events: readonly { readonly event: number; readonly payload: string }[];
  /** The smallest sequence. */
  readonly sequence: DeliverySequence;
}

/** @param template an event with an ordinary payload */
export function describeFailure(
  failing: FailingPlay,
  template: EventTemplate,
  sender: WebhookSender,
): FuzzFailure {
  const { sequence, record, violation } = failing;
  const { reference, summary, reason, remedy: ruleRemedy } = fuzzRules[violation.rule];
  const violations = findViolations(record);
  const explanation = explainAcceptedAttack(failing);
  const remedy = fillSenderText(ruleRemedy, sender);
  return {
    rule: violation.rule,
    reference: sender.name === 'svc' ? reference : null,
    summary,
    message: violation.message,
    reason,
    remedy: explanation === null ? remedy : `${explanation} ${remedy}`,
    original_steps: sequence.steps.length,
    steps: summarizeSteps(sequence, record, violations),
    unusual_events: sequence.events.flatMap(({ payload }, index) =>
      payload === template.payload ? [] : [{ event: index + 1, payload }],
    ),
    sequence,
  };
}

/** Why a receiver accepts an attack, and what to do; null for other violations. */
function explainAcceptedAttack({ sequence, record, violation }: FailingPlay): string | null {
  const step = sequence.steps[violation.step ?? -1];
  const last = record.exchanges.findLast((exchange) => exchange.step === violation.step);
  if (violation.rule !== 'rejected' || step?.kind !== 'attack' || !last || !isAccepted(last.response)) {
    return null;
  }
  return getTamperedDelivery(step.attack).explanation;
}
