import { formatDuration } from '../../domain/duration.ts';
import { confirmMistakes } from '../../signature/confirm-mistakes.ts';
import { describeMistakes } from '../../signature/find-mistakes.ts';
import { listProbes } from '../../signature/probe-requests.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { hasTimestamp } from '../../signature/schemes.ts';
import { parseSignatureHeader, parseTimestamp } from '../../signature/signature-header.ts';
import { type CheckSession, countSideEffects, describePlay } from '../check-session.ts';
import { bodySerializers, type DeliveryFactory, type SignedMessage } from '../delivery-factory.ts';
import type { PlayRecord } from '../play-sequence.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  describeResponses,
  getConnectionHint,
  isAccepted,
  isRejected,
  type ReceiverResponse,
} from '../receiver-client.ts';

/**
 * The check that all others require. A receiver that verifies a body after serializing it again accepts only the text that its
 * own JSON library writes. So the text of each of `bodySerializers` is tried until one is accepted, or the receiver fails
 * other than with a 4xx status in time. The accepted one is kept, or every later check would fail and `raw-body` could not name the
 * defect. Its side effects show whether side effects can be counted.
 */
export const validDeliveryCheck: ReceiverCheck = {
  id: 'signature.genuine',
  sent: 'a valid delivery',
  isBasic: true,
  async run(session) {
    const responses: ReceiverResponse[] = [];
    for (const serializer of bodySerializers) {
      session.factory.serializer = serializer;
      const { record, response } = await sendGenuine(session);
      if (isAccepted(response)) {
        if (session.observer !== null) session.unobservable ??= findObserverProblem(session, record);
        return passed(describeResponses(response), 'Your receiver accepts valid deliveries.');
      }
      responses.push(response);
      if (!isRejected(response) || response.durationMs > session.timeoutMs) break;
    }
    const [first] = responses as [ReceiverResponse];
    return failed(describeResponses(first), await explainFailure(first, session));
  },
};

/** Sends an ordinary delivery, and waits for its side effect if side effects are observed. */
async function sendGenuine(session: CheckSession) {
  const step = { kind: 'custom', event: 0, isGenuine: true, create: createOrdinary } as const;
  session.unobservable = session.observer === null ? session.unobservable : null;
  const { record } = await session.check([step], { observes: session.observer !== null }).catch((error) => {
    session.unobservable = session.noteObserverProblem(error).text;
    return session.check([step]);
  });
  return { record, response: record.exchanges[0]?.response as ReceiverResponse };
}

/** Why the side effects of a single valid delivery cannot be used; null if there is one. */
function findObserverProblem({ timeoutMs }: CheckSession, record: PlayRecord): string | null {
  const count = countSideEffects(record);
  if (count === 1) return null;
  return (count ?? 0) === 0
    ? `The --observe count did not rise within ${formatDuration(timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
    : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`;
}

/** A second valid delivery, and those with an unusual digest or timestamp, which come by chance in production. */
export function listFurtherDeliveryChecks(scheme: SignatureScheme): readonly ReceiverCheck[] {
  return [
    secondDeliveryCheck,
    ...(scheme.encoding === 'hex' ? [leadingZeroCheck] : []),
    ...(hasTimestamp(scheme) && scheme.timestampFormat === 'iso8601' ? [wholeMinuteCheck] : []),
  ];
}

/** The digest does not begin with 0, which is the defect of another check. */
const createOrdinary = (factory: DeliveryFactory) =>
  createWithDigest(factory, (digest) => !digest.startsWith('0'));

const INTERMITTENT_EXPLANATION =
  'Your receiver accepts a delivery and rejects the next one. It keeps state between requests, such as one HMAC object or one regular expression with the flag g, several processes with different settings respond, or it accepts only some digests. Send the same valid delivery several times, and log what it compares.';

const secondDeliveryCheck = createBasicCheck({
  id: 'signature.second',
  sent: 'a second valid delivery',
  explanation: INTERMITTENT_EXPLANATION,
  create: createOrdinary,
});

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
  create(factory: DeliveryFactory): SignedMessage;
}): ReceiverCheck {
  return {
    ...check,
    isBasic: true,
    async run(session) {
      const accepts = async (createMessage: (factory: DeliveryFactory) => SignedMessage) =>
        (await session.send(createMessage)).record.exchanges.some(({ response }) => isAccepted(response));
      const { record } = await session.send(create);
      const received = describePlay(record);
      if (isAccepted(record.exchanges[0]?.response ?? NO_RESPONSE)) return passed(received);
      for (let round = 0; round < CONTROL_ROUNDS; round++) {
        if (!(await accepts(createOrdinary)) || (await accepts(create))) {
          return failed(received, INTERMITTENT_EXPLANATION);
        }
      }
      return failed(received, explanation);
    },
  };
}

const NO_RESPONSE = { status: null };
/** How often the unusual delivery must be rejected again, and an ordinary one accepted, before the difference is the reason. */
const CONTROL_ROUNDS = 3;

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

async function explainFailure(response: ReceiverResponse, session: CheckSession): Promise<string> {
  const { status } = response;
  if (status === null) return explainNoResponse(response);
  if (status >= 300 && status < 400) {
    return 'Your receiver redirects, and svc does not follow redirects. Pass the URL that it redirects to.';
  }
  if (status === 404 || status === 405) {
    return 'Nothing accepts POST requests at this path. Check the path of the URL.';
  }
  if (!isRejected(response)) return 'Your receiver fails on a valid delivery. Check its log.';
  if (response.durationMs > session.timeoutMs) {
    return 'Your receiver rejects a valid delivery, and does not respond in time. Check that it uses the secret given with --secret, and verify a delivery before you do any work.';
  }
  session.factory.serializer = bodySerializers[0];
  return (
    (await findMistake(session)) ??
    'Your receiver rejects a valid delivery. Check that it uses the secret given with --secret, and that it verifies the content that the scheme signs.'
  );
}

/** Sends deliveries that only a receiver with another scheme or a known mistake accepts, until it accepts one, or the time is over. */
async function findMistake(session: CheckSession): Promise<string | null> {
  const { factory: deliveries, apiKey, timeoutMs } = session;
  const startedAt = performance.now();
  const { scheme, secret } = deliveries;
  const id = deliveries.createDeliveryId();
  const { timestamp, ...valid } = deliveries.sign(deliveries.createBody(), { deliveryId: id });
  const input = {
    scheme,
    secrets: [secret],
    message: { id, timestamp, body: valid.body },
    otherSecrets: apiKey === null ? [] : [{ name: 'the API key', secret: apiKey }],
  };
  const accepts = async (headers: Readonly<Record<string, string>>) => {
    const { record } = await session.send(() => ({ ...valid, headers: { ...valid.headers, ...headers } }));
    return record.exchanges.some(({ response }) => isAccepted(response));
  };
  const now = () => parseTimestamp(deliveries.sign('').timestamp) ?? 0;
  for (const probe of listProbes(input)) {
    if (
      (await accepts(probe.headers)) &&
      (await confirmMistakes(probe, input, now, accepts)) === 'confirmed'
    ) {
      const { detail, remedy } = describeMistakes(probe.mistakes);
      return `${detail.replace('The receiver', 'Your receiver')} ${remedy}`;
    }
    if (performance.now() - startedAt > timeoutMs) break;
  }
  return null;
}
