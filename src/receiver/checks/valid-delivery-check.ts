import { describeMistakes } from '../../domain/signature/mistakes.ts';
import { listProbes } from '../../domain/signature/probe-requests.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp, schemes } from '../../domain/signature/schemes.ts';
import { parseSignatureHeader } from '../../domain/signature/signature-header.ts';
import type { CheckContext } from '../check-context.ts';
import { type DeliveryFactory, type SignedMessage, serializers } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  getConnectionHint,
  isAccepted,
  isRejected,
  type ReceiverResponse,
} from '../receiver-client.ts';

/**
 * The check that all others require. A receiver that verifies a body after serializing it again accepts only the text that its
 * own JSON library writes. So the text of each library in `serializers` is tried until one is accepted, or the receiver fails
 * other than with a 4xx status in time. The accepted one is kept, or every later check would fail and `raw-body` could not name the
 * defect.
 */
export const validDeliveryCheck: ReceiverCheck = {
  id: 'signature.genuine',
  sent: 'a valid delivery',
  isBasic: true,
  async run(context) {
    const responses: ReceiverResponse[] = [];
    for (const serialize of Object.values(serializers)) {
      context.deliveries.serialize = serialize;
      const message = createWithDigest(context.deliveries, (digest) => !digest.startsWith('0'));
      const response = await context.send(message);
      if (isAccepted(response)) {
        context.firstDelivery = { message, response, respondedAt: performance.now() };
        return passed(describeResponses(response), 'Your receiver accepts valid deliveries.');
      }
      responses.push(response);
      if (!isRejected(response) || response.durationMs > context.timeoutMs) break;
    }
    const [first] = responses as [ReceiverResponse];
    return failed(describeResponses(first), await explainFailure(first, context));
  },
};

/** Valid deliveries with an unusual digest or timestamp, which come by chance in production. */
export function listUnusualDeliveryChecks(scheme: SignatureScheme): readonly ReceiverCheck[] {
  return [
    ...(scheme.encoding === 'hex' ? [leadingZeroCheck] : []),
    ...(hasTimestamp(scheme) && scheme.timestampFormat === 'iso8601' ? [wholeMinuteCheck] : []),
  ];
}

const leadingZeroCheck = createBasicCheck({
  id: 'signature.leading-zero',
  sent: 'a valid delivery whose digest begins with 0',
  explanation:
    'Your receiver loses zeros at the start of the digest, as BigInteger.toString(16) in Java does, so it rejects one of 16 deliveries. Write each byte with two hex digits.',
  create: (factory) => createWithDigest(factory, (digest) => digest.startsWith('0')),
});

const wholeMinuteCheck = createBasicCheck({
  id: 'timestamp.whole-minute',
  sent: 'a valid delivery whose timestamp ends in :00Z',
  explanation:
    'Your receiver verifies a timestamp that it has parsed and formatted again, as OffsetDateTime.toString in Java does, which leaves out seconds of 0. Verify the text of the header.',
  create: (factory) => factory.sign(factory.createBody(), { isWholeMinute: true }),
});

function createBasicCheck({
  create,
  explanation,
  ...check
}: Pick<ReceiverCheck, 'id' | 'sent'> & {
  /** What a failure means, and what to do. */
  readonly explanation: string;
  create(factory: DeliveryFactory): DeliveryMessage;
}): ReceiverCheck {
  return {
    ...check,
    isBasic: true,
    async run(context) {
      const response = await context.send(create(context.deliveries));
      const received = describeResponses(response);
      return isAccepted(response)
        ? passed(received, 'Your receiver accepts the delivery.')
        : failed(received, explanation);
    },
  };
}

/** Creates valid deliveries until the digest of one is as asked. Every 16th hex digest begins with 0. */
function createWithDigest(factory: DeliveryFactory, isWanted: (digest: string) => boolean): SignedMessage {
  for (;;) {
    const message = factory.createValid();
    const header = message.headers[factory.scheme.headers.signature] ?? '';
    if (isWanted(parseSignatureHeader(factory.scheme, header).digests[0] ?? '')) return message;
  }
}

function explainNoResponse(response: ReceiverResponse): string {
  if (response.failure === 'timeout') {
    return 'Your receiver does not respond to a valid delivery in time. Return a 2xx response as soon as you have stored the delivery, and process it later.';
  }
  const cause = response.failure === 'tls' ? ', because its TLS connection fails' : '';
  return `No delivery reaches your receiver${cause}. ${getConnectionHint(response)}`;
}

async function explainFailure(response: ReceiverResponse, context: CheckContext): Promise<string> {
  const { status } = response;
  if (status === null) return explainNoResponse(response);
  if (status >= 300 && status < 400) {
    return 'Your receiver redirects, and svc does not follow redirects. Pass the URL that it redirects to.';
  }
  if (status === 404 || status === 405) {
    return 'Nothing accepts POST requests at this path. Check the path of the URL.';
  }
  if (!isRejected(response)) return 'Your receiver fails on a valid delivery. Check its log.';
  if (response.durationMs > context.timeoutMs) {
    return 'Your receiver rejects a valid delivery, and does not respond in time. Check that it uses the secret given with --secret, and verify a delivery before you do any work.';
  }
  const startedAt = performance.now();
  context.deliveries.serialize = serializers['JSON.stringify of JavaScript'];
  for (const { message, diagnosis } of listDiagnoses(context)) {
    if (isAccepted(await context.send(message))) return diagnosis;
    if (performance.now() - startedAt > context.timeoutMs) break;
  }
  return 'Your receiver rejects a valid delivery. Check that it uses the secret given with --secret, and that it verifies the content that the scheme signs.';
}

/** Deliveries that only a receiver with another scheme or with a known mistake accepts. */
function* listDiagnoses({
  deliveries,
  apiKey,
}: CheckContext): Generator<{ readonly message: DeliveryMessage; readonly diagnosis: string }> {
  const { scheme, secret } = deliveries;
  for (const other of Object.values(schemes).filter(({ name }) => name !== scheme.name)) {
    yield {
      message: deliveries.withScheme(other).createValid(),
      diagnosis: `Your receiver verifies the scheme ${other.name}. Pass --scheme ${other.name}, or change the scheme in your receiver.`,
    };
  }
  const id = deliveries.createDeliveryId();
  const { timestamp, ...valid } = deliveries.sign(deliveries.createBody(), { deliveryId: id });
  const input = {
    scheme,
    secrets: [secret],
    message: { id, timestamp, body: valid.body },
    otherSecrets: apiKey === null ? [] : [{ name: 'the API key', secret: apiKey }],
  };
  for (const { mistakes, headers } of listProbes(input)) {
    const { detail, remedy } = describeMistakes(mistakes);
    yield {
      message: { ...valid, headers: { ...valid.headers, ...headers } },
      diagnosis: `${detail.replace('The receiver', 'Your receiver')} ${remedy}`,
    };
  }
}
