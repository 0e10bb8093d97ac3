import { schemes } from '../../domain/signature/schemes.ts';
import type { CheckContext } from '../check-context.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  isRejected,
  type ReceiverResponse,
} from '../receiver-client.ts';
import { serializers } from '../serializers.ts';

/**
 * The check that every other one needs. A receiver that verifies a body printed anew accepts only its own way of
 * printing: each is tried, and what is accepted is used from then on, so that the checks of raw bodies can say so.
 */
export const validDeliveryCheck: ReceiverCheck = {
  id: 'signature.genuine',
  rule: 'signature',
  sent: 'a genuine delivery',
  async run(checkContext) {
    let first: ReceiverResponse | undefined;
    for (const print of Object.values(serializers)) {
      checkContext.deliveries.serialize = print;
      const receiverResponse = await checkContext.send(checkContext.deliveries.createValid());
      if (isAccepted(receiverResponse))
        return passed(describeResponses(receiverResponse), 'It accepts what it is sent.');
      first ??= receiverResponse;
      if (!isRejected(receiverResponse)) break;
    }
    if (first === undefined) throw new Error('There is a way of printing.');
    return failed(describeResponses(first), await explain(first, checkContext));
  },
};

async function explain(receiverResponse: ReceiverResponse, checkContext: CheckContext): Promise<string> {
  const { status } = receiverResponse;
  if (status === null) return 'No delivery reaches it: check the URL, and that the receiver runs.';
  if (status >= 300 && status < 400)
    return 'Deliveries do not follow redirects: give the address that it leads to.';
  if (status === 404 || status === 405) return 'Nothing takes deliveries there: check the path of the URL.';
  if (!isRejected(receiverResponse)) return 'It breaks on a delivery that is right: see what it logs.';
  for (const { message, meaning } of toGuesses(checkContext)) {
    if (isAccepted(await checkContext.send(message))) return meaning;
  }
  return 'It rejects what is right: check that --secret is the secret it has, and what it signs and compares.';
}

/** What a receiver accepts that takes something else for the right thing. */
function toGuesses({
  deliveries,
  apiKey,
}: CheckContext): { readonly message: DeliveryMessage; readonly meaning: string }[] {
  const others = Object.values(schemes).filter(({ name }) => name !== deliveries.scheme.name);
  const guesses = others.map((scheme) => ({
    message: deliveries.withScheme(scheme).createValid(),
    meaning: `It verifies deliveries of the scheme ${scheme.name}: pass --scheme ${scheme.name}, or correct the receiver.`,
  }));
  if (apiKey === null) return guesses;
  const message = deliveries.sign(deliveries.createBody(), { secrets: [apiKey] });
  const meaning = 'It verifies with the API key: deliveries are signed with the secret of the endpoint.';
  return [{ message, meaning }, ...guesses];
}
