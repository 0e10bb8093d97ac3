/** The checks that all others require: ordinary deliveries, and those with an unusual digest or timestamp, which come by chance. */
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
import { getConnectionHint, isAccepted, isRejected, type ReceiverResponse } from '../receiver-client.ts';
import type { CustomStep } from '../sequence.ts';
import { createValid } from './create-check.ts';

/** The checks of valid deliveries with this scheme. Every other check requires them. */
export function listValidDeliveryChecks(scheme: SignatureScheme): readonly ReceiverCheck[] {
  return [
    genuineCheck,
    secondDeliveryCheck,
    ...(scheme.encoding === 'hex' ? [leadingZeroCheck] : []),
    ...(hasTimestamp(scheme) && scheme.timestampFormat === 'iso8601' ? [wholeMinuteCheck] : []),
  ];
}

/**
 * A receiver that verifies a body after serializing it again accepts only the text that its own JSON library writes. So the text
 * of each of `bodySerializers` is tried until one is accepted, or the receiver fails other than with a 4xx status. The accepted one
 * is kept, or every later check would fail and `raw-body` could not name the defect. Its side effects show whether side effects can
 * be counted.
 */
const genuineCheck: ReceiverCheck = {
  id: 'signature.genuine',
  sent: 'a valid delivery',
  isBasic: true,
  async run(session) {
    const rejected: Genuine[] = [];
    for (const serializer of bodySerializers) {
      session.factory.serializer = serializer;
      const genuine = await sendGenuine(session);
      const { record, response } = genuine;
      if (isAccepted(response)) {
        if (session.observer !== null) session.unobservable ??= findObserverProblem(session, record);
        return passed(
          describePlay({ ...record, sideEffects: null }),
          'Your receiver accepts valid deliveries.',
        );
      }
      rejected.push(genuine);
      if (!isRejected(response)) break;
    }
    const [first] = rejected as [Genuine];
    return failed(describePlay(first.record), await explainFailure(first, session));
  },
};

interface Genuine {
  readonly message: SignedMessage;
  readonly record: PlayRecord;
  readonly response: ReceiverResponse;
}

/** Sends an ordinary delivery, and waits for its side effect if side effects are observed. */
async function sendGenuine(session: CheckSession): Promise<Genuine> {
  let message: SignedMessage | undefined;
  const step = createValid((factory, _, envelope) => {
    message = createOrdinary(factory, '', envelope);
    return message;
  });
  session.unobservable = session.observer === null ? session.unobservable : null;
  const { record } = await session.check([step], { observes: session.observer !== null }).catch((error) => {
    session.unobservable = session.noteObserverProblem(error).text;
    return session.check([step]);
  });
  return { record, response: record.exchanges[0]?.response, message } as Genuine;
}

/** Why the side effects of a single valid delivery cannot be used; null if there is one. */
function findObserverProblem({ options }: CheckSession, record: PlayRecord): string | null {
  const count = countSideEffects(record) ?? 0;
  if (count === 1) return null;
  return count === 0
    ? `The --observe count did not rise within ${formatDuration(options.timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
    : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`;
}

const INTERMITTENT_EXPLANATION =
  'Your receiver accepts a delivery and rejects the next one. It keeps state between requests, such as one HMAC object or one regular expression with the flag g, several processes with different settings respond, or it accepts only some digests. Send the same valid delivery several times, and log what it compares.';

/** The digest does not begin with 0, which is the defect of another check. */
const createOrdinary = createWithDigest((digest) => !digest.startsWith('0'));

const secondDeliveryCheck = createValidDeliveryCheck({
  id: 'signature.second',
  sent: 'a second valid delivery',
  explanation: INTERMITTENT_EXPLANATION,
  create: createOrdinary,
});

const leadingZeroCheck = createValidDeliveryCheck({
  id: 'signature.leading-zero',
  sent: 'a valid delivery whose digest begins with 0',
  explanation:
    'Your receiver loses zeros at the start of the digest, as BigInteger.toString(16) in Java does, so it rejects one of 16 deliveries. Write each byte with two hex digits.',
  create: createWithDigest((digest) => digest.startsWith('0')),
});

const wholeMinuteCheck = createValidDeliveryCheck({
  id: 'timestamp.whole-minute',
  sent: 'a valid delivery whose timestamp ends in :00Z',
  explanation:
    'Your receiver verifies a timestamp that it has parsed and formatted again, as OffsetDateTime.toString in Java does, which leaves out seconds of 0. Verify the text of the header.',
  create: (factory, body) => factory.sign(body, { isWholeMinute: true }),
});

interface ValidDeliveryCheck extends Pick<ReceiverCheck, 'id' | 'sent'> {
  /** What a failure means, and what to do. */
  readonly explanation: string;
  readonly create: CustomStep['create'];
}

/** How often the unusual delivery must be rejected again, and an ordinary one accepted, before the difference is the reason. */
const CONTROL_ROUNDS = 3;

function createValidDeliveryCheck({ create, explanation, ...check }: ValidDeliveryCheck): ReceiverCheck {
  return {
    ...check,
    isBasic: true,
    async run(session) {
      const { record } = await session.send(create);
      const received = describePlay(record);
      if (isAnyAccepted(record)) return passed(received);
      for (let round = 0; round < CONTROL_ROUNDS; round++) {
        const ordinary = await session.send(createOrdinary);
        const unusual = await session.send(create);
        const isIntermittent = !isAnyAccepted(ordinary.record) || isAnyAccepted(unusual.record);
        if (isIntermittent) return failed(received, INTERMITTENT_EXPLANATION);
      }
      return failed(received, explanation);
    },
  };
}

function isAnyAccepted({ exchanges }: PlayRecord): boolean {
  return exchanges.some(({ step, response }) => step !== null && isAccepted(response));
}

/** Creates valid deliveries of events with new IDs until the digest of one is as asked. Every 16th hex digest begins with 0. */
function createWithDigest(isWanted: (digest: string) => boolean) {
  return (factory: DeliveryFactory, _: string, envelope: string): SignedMessage => {
    const { id } = JSON.parse(envelope).data;
    for (;;) {
      const message = factory.sign(factory.serialize(envelope.replace(id, factory.createId('event'))));
      const header = message.headers[factory.scheme.headers.signature] ?? '';
      if (isWanted(parseSignatureHeader(factory.scheme, header).digests[0] ?? '')) return message;
    }
  };
}

async function explainFailure(genuine: Genuine, session: CheckSession): Promise<string> {
  const { response } = genuine;
  const { status } = response;
  if (response.failure === 'timeout') {
    return 'Your receiver does not respond to a valid delivery in time, so the service counts it as failed and sends it again. Return a 2xx response as soon as you have stored the delivery, and process it later.';
  }
  if (status === null) {
    const cause = response.failure === 'tls' ? ', because its TLS connection fails' : '';
    return `No delivery reaches your receiver${cause}. ${getConnectionHint(response)}`;
  }
  if (status >= 300 && status < 400) {
    return 'Your receiver redirects, and svc does not follow redirects. Pass the URL that it redirects to.';
  }
  if (status === 404 || status === 405) {
    return 'Nothing accepts POST requests at this path. Check the path of the URL.';
  }
  if (!isRejected(response)) return 'Your receiver fails on a valid delivery. Check its log.';
  return (
    (await findMistake(genuine, session)) ??
    'Your receiver rejects a valid delivery. Check that it uses the secret given with --secret, and that it verifies the content that the scheme signs.'
  );
}

/** Sends deliveries that only a receiver with another scheme or a known mistake accepts, until it accepts one, or the time is over. */
async function findMistake({ message }: Genuine, session: CheckSession): Promise<string | null> {
  const { factory, apiKey, options } = session;
  const startedAt = performance.now();
  const { scheme, secret } = factory;
  const { body } = message;
  const id = factory.createId('delivery');
  const { timestamp, headers: validHeaders } = factory.sign(body, { deliveryId: id });
  const input = {
    scheme,
    secrets: [secret],
    message: { id, timestamp, body },
    otherSecrets: apiKey === null ? [] : [{ name: 'the API key', secret: apiKey }],
  };
  const accepts = async (headers: Readonly<Record<string, string>>) => {
    const { record } = await session.send(() => ({ body, headers: { ...validHeaders, ...headers } }));
    return isAnyAccepted(record);
  };
  const now = () => parseTimestamp(factory.sign('').timestamp) ?? 0;
  for (const probe of listProbes(input)) {
    if (
      (await accepts(probe.headers)) &&
      (await confirmMistakes(probe, input, now, accepts)) === 'confirmed'
    ) {
      const { detail, remedy } = describeMistakes(probe.mistakes);
      return `${detail.replace('The receiver', 'Your receiver')} ${remedy}`;
    }
    if (performance.now() - startedAt > options.timeoutMs) break;
  }
  return null;
}
