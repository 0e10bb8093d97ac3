import { schemes } from '../../domain/signature/schemes.ts';
import type { CheckContext } from '../check-context.ts';
import { serializers } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  isRejected,
  type ReceiverResponse,
} from '../receiver-client.ts';

/**
 * The check that all others require. A receiver that verifies a body after serializing it again accepts only its own form.
 * Each form is tried, and the accepted one is used from then on, so that the checks of `raw-body` can report this defect.
 */
export const validDeliveryCheck: ReceiverCheck = {
  id: 'signature.genuine',
  sent: 'a valid delivery',
  async run(context) {
    const responses: ReceiverResponse[] = [];
    for (const serialize of Object.values(serializers)) {
      context.deliveries.serialize = serialize;
      const response = await context.send(context.deliveries.createValid());
      if (isAccepted(response)) {
        return passed(describeResponses(response), 'Your receiver accepts valid deliveries.');
      }
      responses.push(response);
      if (!isRejected(response)) break;
    }
    const [first] = responses as [ReceiverResponse];
    return failed(describeResponses(first), await explainFailure(first, context));
  },
};

async function explainFailure(response: ReceiverResponse, context: CheckContext): Promise<string> {
  const { status } = response;
  if (status === null) {
    return 'No delivery reaches your receiver. Check the URL, and that the receiver is running.';
  }
  if (status >= 300 && status < 400) {
    return 'Your receiver redirects, and deliveries do not follow redirects. Pass the URL that it redirects to.';
  }
  if (status === 404 || status === 405) {
    return 'Nothing accepts POST requests at this path. Check the path of the URL.';
  }
  if (!isRejected(response)) return 'Your receiver fails on a valid delivery. Check its log.';
  for (const { message, meaning } of listCommonMistakes(context)) {
    if (isAccepted(await context.send(message))) return meaning;
  }
  return 'Your receiver rejects a valid delivery. Check that it uses the secret given with --secret, and that it verifies the content that the scheme signs.';
}

/** Deliveries that a receiver with a common mistake accepts. */
function listCommonMistakes({
  deliveries,
  apiKey,
}: CheckContext): { readonly message: DeliveryMessage; readonly meaning: string }[] {
  const otherSchemes = Object.values(schemes).filter(({ name }) => name !== deliveries.scheme.name);
  const mistakes = otherSchemes.map((scheme) => ({
    message: deliveries.withScheme(scheme).createValid(),
    meaning: `Your receiver verifies the scheme ${scheme.name}. Pass --scheme ${scheme.name}, or change the scheme in your receiver.`,
  }));
  if (apiKey === null) return mistakes;
  const message = deliveries.sign(deliveries.createBody(), { secrets: [apiKey] });
  const meaning = 'Your receiver verifies with the API key. Verify with the endpoint secret instead.';
  return [{ message, meaning }, ...mistakes];
}
