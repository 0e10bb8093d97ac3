/** Checks that send one delivery, which the receiver must accept or reject. */
import type { DeliveryFactory } from '../delivery-factory.ts';
import { type CheckOutcome, failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  type ReceiverResponse,
} from '../receiver-client.ts';

export interface SingleDelivery extends Omit<ReceiverCheck, 'run'> {
  /** What a failure means, and what to do. */
  readonly explanation: string;
  create(factory: DeliveryFactory): DeliveryMessage;
}

/** Creates a check of a delivery that a correct receiver accepts. */
export function createAcceptedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    async run(context) {
      const response = await context.send(create(context.deliveries));
      const received = describeResponses(response);
      return isAccepted(response)
        ? passed(received, 'Your receiver accepts the delivery, as it must.')
        : failed(received, explanation);
    },
  };
}

/** Creates a check of a delivery that a correct receiver does not accept. */
export function createRejectedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    run: async (context) => toRejectionOutcome(await context.send(create(context.deliveries)), explanation),
  };
}

/** The check passes unless the delivery is accepted. Another check covers the status (§6.4). */
export function toRejectionOutcome(response: ReceiverResponse, explanation: string): CheckOutcome {
  const received = describeResponses(response);
  return isAccepted(response)
    ? failed(received, explanation)
    : passed(received, 'Your receiver rejects the delivery, as it must.');
}
