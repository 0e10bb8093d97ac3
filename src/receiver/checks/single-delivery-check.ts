/** Checks that send one delivery, which the receiver must accept or reject. */

import { type CheckContext, readEventId } from '../check-context.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import { type CheckOutcome, failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  type ReceiverResponse,
} from '../receiver-client.ts';
import { NOT_PROCESSED_EXPLANATION } from '../tampered-deliveries.ts';

interface SingleDelivery extends Omit<ReceiverCheck, 'run'> {
  /** What a failure means, and what to do. */
  readonly explanation: string;
  create(factory: DeliveryFactory): DeliveryMessage;
}

const passAccepted = (responses: readonly ReceiverResponse[]): CheckOutcome =>
  passed(describeResponses(...responses), 'Your receiver accepts the delivery.');

/**
 * Creates a check of a delivery that a correct receiver accepts.
 * @param afterAccepted what else must be true
 */
export function createAcceptedCheck(
  { create, explanation, ...check }: SingleDelivery,
  afterAccepted: (
    responses: readonly ReceiverResponse[],
    context: CheckContext,
  ) => CheckOutcome | Promise<CheckOutcome> = passAccepted,
): ReceiverCheck {
  return {
    ...check,
    judgesByResponse: true,
    async run(context) {
      const response = await context.send(create(context.deliveries));
      return isAccepted(response)
        ? afterAccepted([response], context)
        : failed(describeResponses(response), explanation);
    },
  };
}

/**
 * Creates a check that passes unless the delivery is accepted. Another check covers the status (§6.4). If side effects can be
 * counted, they show whether an accepted delivery is also processed.
 */
export function createRejectedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    countsSideEffects: true,
    async run(context) {
      const responses = await context.sendTampered(create(context.deliveries));
      const received = describeResponses(...responses);
      if (!responses.some(isAccepted)) return passed(received, 'Your receiver rejects the delivery.');
      const sideEffects = await countSideEffects(create, context).catch((error: unknown) => {
        context.noteObserverProblem(error);
        return null;
      });
      if (sideEffects === null) return { ...failed(received, explanation), acceptedUnseen: true };
      const counted = `${received}, side effects: ${sideEffects}`;
      return sideEffects > 0
        ? failed(counted, explanation)
        : { ...failed(counted, NOT_PROCESSED_EXPLANATION), acceptedUnseen: true };
    },
  };
}

/** Counts the side effects of a tampered delivery. @returns null if nothing shows them */
async function countSideEffects(
  create: SingleDelivery['create'],
  context: CheckContext,
): Promise<number | null> {
  const counter = await context.getSideEffectCounter();
  if ('reason' in counter) return null;
  const tampered = create(context.deliveries);
  const valid = context.deliveries.createValid();
  const { count } = await counter.measure(async () => {
    await context.sendTampered(tampered);
    await context.send(valid);
  });
  const sideEffects = counter.countOf(readEventId(tampered)) ?? count - 1;
  // A side effect can be missing because that of the valid delivery, which was sent later, is missing too.
  const isValidSeen = (counter.countOf(readEventId(valid)) ?? count) > 0;
  return sideEffects > 0 || isValidSeen ? sideEffects : null;
}
