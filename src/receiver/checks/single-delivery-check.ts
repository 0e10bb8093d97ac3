/** Checks that send one delivery, which the receiver must accept or reject. */
import type { DeliveryFactory } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import { type DeliveryMessage, describeResponses, isAccepted } from '../receiver-client.ts';

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

/** Creates a check that passes unless the delivery is accepted. Another check covers the status (§6.4). */
export function createRejectedCheck({ create, explanation, ...check }: SingleDelivery): ReceiverCheck {
  return {
    ...check,
    async run(context) {
      const response = await context.send(create(context.deliveries));
      const received = describeResponses(response);
      return isAccepted(response)
        ? failed(received, explanation)
        : passed(received, 'Your receiver rejects the delivery, as it must.');
    },
  };
}
