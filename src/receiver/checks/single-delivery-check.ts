/** Checks that send one delivery, which the receiver must accept or reject. */

import type { CheckContext } from '../check-context.ts';
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
    judgesByResponse: true,
    countsSideEffects: true,
    async run(context) {
      const responses = await context.sendTampered(create(context.deliveries));
      const received = describeResponses(...responses);
      if (!responses.some(isAccepted)) return passed(received, 'Your receiver rejects the delivery.');
      const sideEffects = await countSideEffects(create, context);
      if (sideEffects === null) return { ...failed(received, explanation), hidesRefusal: true };
      const counted = `${received}, side effects: ${sideEffects}`;
      return sideEffects > 0
        ? failed(counted, explanation)
        : { ...failed(counted, NOT_PROCESSED_EXPLANATION), hidesRefusal: true };
    },
  };
}

/** Counts the side effects of a tampered delivery; null if they cannot be counted. */
async function countSideEffects(
  create: SingleDelivery['create'],
  context: CheckContext,
): Promise<number | null> {
  const counter = await context.getSideEffectCounter();
  if ('reason' in counter) return null;
  const { deliveries } = context;
  const { count } = await counter.measure(async () => {
    await context.sendTampered(create(deliveries));
    // Once the side effect of a valid delivery is there, that of the earlier delivery would be there too.
    await context.send(deliveries.createValid());
  });
  return Math.max(0, count - 1);
}
