/** Checks that send one delivery, which the receiver must accept or reject. */
import type { DeliveryFactory } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck, type ReceiverRule } from '../receiver-check.ts';
import { type DeliveryMessage, describeResponses, isAccepted } from '../receiver-client.ts';
import type { TamperedDelivery } from '../tampered-deliveries.ts';

export interface AcceptedDelivery {
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** What it means that the receiver does not accept the delivery, and what to do. */
  readonly explanation: string;
  readonly requires?: readonly string[];
  create(factory: DeliveryFactory): DeliveryMessage;
}

/** Creates a check of a delivery that a correct receiver accepts. */
export function createAcceptedCheck({ create, explanation, ...check }: AcceptedDelivery): ReceiverCheck {
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

/** Creates a check of a delivery that a correct receiver does not accept. Another check covers the status (§6.4). */
export function createRejectedCheck({ create, explanation, ...check }: TamperedDelivery): ReceiverCheck {
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
