/** The schema of the verdict on a delivery. */
import * as v from 'valibot';
import { deliveryCauses, layerKinds } from '../domain/causes.ts';
import { attemptFields } from '../resources/attempt.ts';
import { Delivery } from '../resources/delivery.ts';
import { Count, described, Hint, resource } from '../resources/values.ts';
import { receiverReasons, refusalReasons } from '../signature/refusals.ts';

export const Explanation = resource(
  'Why a delivery failed or is waiting. The emulator knows what it sent and received. The secret and the code of the receiver are unknown to it.',
  {
    delivery: described('The delivery.', Delivery),
    attempt: described(
      'The attempt that is explained. `null` if none was made.',
      v.nullable(
        v.object({
          ...attemptFields,
          response_body: described(
            'Start of the response body. `null` if the response has no body, or if the body is not text.',
            v.nullable(v.string()),
          ),
        }),
      ),
    ),
    summary: described('State of the delivery.', v.string()),
    cause: described(
      'Why the delivery is in this state. `rejected` and `receiver_error` mean that only the receiver knows the reason.',
      v.picklist(deliveryCauses),
    ),
    layer: described(
      'What responded: something in front of your code, or the verification. `null` if the response does not show it.',
      v.nullable(
        v.object({
          kind: described('Kind of the layer.', v.picklist(layerKinds)),
          by: described('Who responded.', v.string()),
        }),
      ),
    ),
    certainty: described(
      '`certain` if the cause was recorded, or reported by the receiver. `likely` if it is the best explanation of what was recorded.',
      v.picklist(['certain', 'likely']),
    ),
    detail: described('Explanation of the cause.', v.string()),
    mistake: described(
      'What the receiver does wrong with the signature. `null` if it is not known, or if the receiver did not reject the signature.',
      v.nullable(
        v.object({
          reason: described('Kind of the mistake.', v.picklist([...refusalReasons, ...receiverReasons])),
          detail: described('Explanation of the mistake.', v.string()),
          remedy: described('How to correct the mistake.', v.string()),
        }),
      ),
    ),
    finding: described(
      'What a probe found for the endpoint, if it explains this attempt: until a delivery to the endpoint succeeds.',
      v.nullable(
        v.object({
          delivery_id: described('The delivery that was probed.', v.string()),
          explains: described('Number of failing deliveries that it explains.', Count),
          comparison: described(
            'What was signed and what the receiver verifies, each from shortly before the first difference. `null` if both are the same.',
            v.nullable(
              v.object({
                signed: described('A part of what was signed.', v.string()),
                verified: described('The same part of what the receiver verifies.', v.string()),
                difference: described('Index of the first difference in both parts.', Count),
              }),
            ),
          ),
        }),
      ),
    ),
    evidence: described(
      'Facts that were recorded, the most useful first. The receiver may have been changed or restarted since, so they exclude no cause.',
      v.array(v.string()),
    ),
    steps: described(
      'How a correct receiver verifies the attempt, in order. `null` if the failure has nothing to do with the signature.',
      v.nullable(
        v.array(
          v.object({
            step: described('What the receiver does.', v.string()),
            value: described('Correct value in this step.', v.string()),
          }),
        ),
      ),
    ),
    hints: described('What to do, the remedy first. At most three hints have a command.', v.array(Hint)),
  },
);

export type Explanation = v.InferOutput<typeof Explanation>;
