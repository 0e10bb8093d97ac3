/** The results of the steps of a script, as text and as JSON. */

import { formatDuration } from '../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import type { Expectation, ScriptStep } from '../../fixtures/script-fixtures.ts';
import type { Delivery } from '../../resources/delivery.ts';

export interface StepReport {
  readonly step: ScriptStep;
  /** Null in a dry run. */
  readonly ok: boolean | null;
  /** JSON text of an object. Later steps can refer to its fields. */
  readonly result: string;
  /** The result as text, the most important line first. */
  readonly lines: readonly string[];
}

/** JSON text with the name, the kind, `ok` and the fields of the result. */
export function serializeStepReport({ step: { name, kind }, ok, result }: StepReport): string {
  const step = JSON.stringify({ name, kind, ...(ok === null ? {} : { ok }) });
  return result === '{}' ? step : `${step.slice(0, -1)},${result.slice(1)}`;
}

/** The name of a step, or what it does. */
export function toStepLabel(step: ScriptStep): string {
  if (step.name !== null) return step.name;
  return step.kind === 'advance' || step.kind === 'wait'
    ? `${step.kind} ${formatDuration(step.ms)}`
    : step.kind;
}

/** Describes the first mismatch, or returns null when the expectation is met. */
export function findMismatch(expectation: Expectation, deliveries: readonly Delivery[]): string | null {
  const { deliveries: count, status, attempt_count: attempts } = expectation;
  if (count !== undefined && count !== deliveries.length) {
    return `found ${formatDeliveryCount(deliveries.length)}`;
  }
  const mismatch = deliveries.find(
    (delivery) =>
      (status !== undefined && status !== delivery.status) ||
      (attempts !== undefined && attempts !== delivery.attempt_count),
  );
  return mismatch === undefined
    ? null
    : `${mismatch.id} is ${mismatch.status} after ${formatCount(mismatch.attempt_count, 'attempt')}`;
}

/** `2 deliveries of paid to shop: succeeded after 1 attempt` */
export function formatExpectation(expectation: Expectation): string {
  const { event, webhook, deliveries, status, attempt_count: attempts } = expectation;
  const subject = [
    deliveries === undefined ? 'every delivery' : formatDeliveryCount(deliveries),
    ...(event === undefined ? [] : [`of ${event}`]),
    ...(webhook === undefined ? [] : [`to ${webhook}`]),
  ];
  const state = [
    ...(status === undefined ? [] : [status]),
    ...(attempts === undefined ? [] : [`after ${formatCount(attempts, 'attempt')}`]),
  ];
  return `${subject.join(' ')}${state.length === 0 ? '' : `: ${state.join(' ')}`}`;
}
