/** The schema of the verdict on a delivery. */
import * as v from 'valibot';
import { attemptCauses } from '../domain/attempt-hints.ts';
import { receiverReasons, refusalReasons } from '../domain/signature/refusals.ts';
import { attemptFields, Delivery, verificationField } from './delivery-schemas.ts';
import { described, Hint, resource } from './fields.ts';

/**
 * Why a delivery is in its state: what the outcome of its attempt shows, or one of these.
 * - `not_sent`, `paused`, `canceled`: it has no attempt.
 * - `secret_changed`: the receiver may have rejected the signature, and the endpoint secret or the scheme was changed since.
 * - `signature_rejected`: the receiver rejected the signature, or probably did.
 * - `receiver_clock`: the clock of the receiver differs by more than the tolerance.
 * - `duplicate_rejected`: the receiver accepted the delivery before, and failed when it came again.
 */
const deliveryCauses = [
  ...attemptCauses,
  'not_sent',
  'paused',
  'canceled',
  'secret_changed',
  'signature_rejected',
  'receiver_clock',
  'duplicate_rejected',
] as const;

const { number, trigger, sent_at, duration_ms, outcome, response_status, error, fault } = attemptFields;

export const Explanation = resource(
  'Why a delivery failed or is waiting. The emulator knows what it sent and received. The secret and the code of the receiver are unknown to it.',
  {
    delivery: described('The delivery.', Delivery),
    attempt: described(
      'The attempt that is explained. `null` if none was made.',
      v.nullable(
        v.object({
          ...{ number, trigger, sent_at, duration_ms, outcome, response_status, error, fault },
          response_body: described(
            'Start of the response body. `null` if the response has no body, or if the body is not text.',
            v.nullable(v.string()),
            'Service Unavailable',
          ),
        }),
      ),
    ),
    summary: described('State of the delivery.', v.string(), 'Attempt 1 failed. A retry is scheduled.'),
    cause: described(
      'Why the delivery is in this state. `rejected` and `receiver_error` mean that only the receiver knows the reason.',
      v.picklist(deliveryCauses),
      'receiver_error',
    ),
    certainty: described(
      '`certain` if the cause was recorded, or reported by the receiver. `likely` if it is the best explanation of what was recorded.',
      v.picklist(['certain', 'likely']),
    ),
    detail: described('Explanation of the cause.', v.string(), 'Your receiver returned 503.'),
    mistake: described(
      'What the receiver does wrong with the signature. `null` if it is not known, or if the receiver did not reject the signature.',
      v.nullable(
        v.object({
          reason: described('Kind of the mistake.', v.picklist([...refusalReasons, ...receiverReasons])),
          detail: described('Explanation of the mistake.', v.string()),
          remedy: described('How to correct the mistake.', v.string()),
        }),
      ),
      null,
    ),
    evidence: described(
      'Facts that were recorded, the most useful first. The receiver may have been changed or restarted since, so they exclude no cause.',
      v.array(v.string()),
      [],
    ),
    signature: described(
      'How a correct receiver verifies the attempt. `null` if the failure has nothing to do with the signature.',
      v.nullable(
        v.object({
          scheme: described('Name of the signature scheme.', v.string()),
          steps: described(
            'Steps of the verification, in order.',
            v.array(
              v.object({
                step: described('What the receiver does.', v.string()),
                value: described('Correct value in this step.', v.string()),
              }),
            ),
          ),
          ...verificationField,
        }),
      ),
      null,
    ),
    hints: described('What to do, the remedy first. At most three hints have a command.', v.array(Hint), [
      { text: 'Read the response and the log of the receiver to find the error.' },
      { text: 'Replay the delivery', command: 'svc deliveries replay latest --wait' },
    ]),
  },
);

export type Explanation = v.InferOutput<typeof Explanation>;
export type DeliveryCause = (typeof deliveryCauses)[number];
