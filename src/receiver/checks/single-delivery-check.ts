/** Checks that consist in one delivery, which is to be accepted or not. */

import type { DeliveryFactory } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck, type ReceiverRule } from '../receiver-check.ts';
import { type DeliveryMessage, describeResponses, isAccepted } from '../receiver-client.ts';
import type { TamperedDelivery } from '../tampered-deliveries.ts';

export interface AcceptedDelivery {
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** What a receiver does that does not accept it, and what it should do. */
  readonly explanation: string;
  readonly requires?: readonly string[];
  create(deliveryFactory: DeliveryFactory): DeliveryMessage;
}

/** A delivery that a right receiver accepts. */
export function createAcceptedCheck({ create, explanation, ...check }: AcceptedDelivery): ReceiverCheck {
  return {
    ...check,
    async run(checkContext) {
      const receiverResponse = await checkContext.send(create(checkContext.deliveries));
      const received = describeResponses(receiverResponse);
      return isAccepted(receiverResponse)
        ? passed(received, 'Accepted, as it should be.')
        : failed(received, explanation);
    },
  };
}

/** A delivery that a right receiver does not accept. With which status it says so is another matter (§6.4). */
export function createRejectedCheck({ create, explanation, ...check }: TamperedDelivery): ReceiverCheck {
  return {
    ...check,
    async run(checkContext) {
      const receiverResponse = await checkContext.send(create(checkContext.deliveries));
      const received = describeResponses(receiverResponse);
      return isAccepted(receiverResponse)
        ? failed(received, explanation)
        : passed(received, 'Not accepted, as it should be.');
    },
  };
}
