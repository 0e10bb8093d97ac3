/** The receiver of the library with a longer timeout, for machines under load. */
import {
  createReceiver as create,
  type Receiver,
  type ReceiverOptions,
} from '../../src/library/create-receiver.ts';
import type { ReceiverResponses } from '../../src/library/receiver-responses.ts';

export type { ReceiverResponse, ReceiverResponses } from '../../src/library/receiver-responses.ts';
export type { ReceivedRequest } from '../../src/receivers/received-request.ts';
export type { Receiver };

export function createReceiver(responses?: ReceiverResponses, options?: ReceiverOptions): Promise<Receiver> {
  return create(responses, { timeout: 10_000, ...options });
}
