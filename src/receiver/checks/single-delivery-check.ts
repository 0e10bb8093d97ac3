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
    async run(context) {
      const response = await context.send(create(context.deliveries));
      return isAccepted(response)
        ? afterAccepted([response], context)
        : failed(describeResponses(response), explanation);
    },
  };
}

/** Creates a check that passes unless the delivery is accepted. Another check covers the status (§6.4). */
export function createRejectedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    async run(context) {
      const response = await context.send(create(context.deliveries));
      const received = describeResponses(response);
      return isAccepted(response)
        ? failed(received, explanation)
        : passed(received, 'Your receiver rejects the delivery.');
    },
  };
}
