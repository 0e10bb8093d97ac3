/** The receiver of the library, with patience for a machine under load. */
import {
  createReceiver as create,
  type Receiver,
  type ReceiverOptions,
} from '../../src/library/create-receiver.ts';
import type { Answers } from '../../src/library/receiver-responses.ts';

export type { ReceivedRequest } from '../../src/library/received-request.ts';
export type { Answer, Answers } from '../../src/library/receiver-responses.ts';
export type { Receiver };

export function createReceiver(answers?: Answers, options?: ReceiverOptions): Promise<Receiver> {
  return create(answers, { timeout: 10_000, ...options });
}
