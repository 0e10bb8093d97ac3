/** The checks that all others require: ordinary deliveries, and those with an unusual digest or timestamp, which come by chance. */
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { confirmMistakes } from '../../signature/confirm-mistakes.ts';
import { describeMistakes } from '../../signature/find-mistakes.ts';
import { listProbes } from '../../signature/probe-requests.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { hasTimestamp } from '../../signature/schemes.ts';
import { parseSignatureHeader, parseTimestamp } from '../../signature/signature-header.ts';
import { type CheckSession, describePlay } from '../check-session.ts';
import type { DeliveryFactory, SentEvent, SignedMessage } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import { getConnectionHint, isAccepted, isRejected, type ReceiverResponse } from '../receiver-client.ts';
import { addField, UNKNOWN_FIELD } from '../sequence.ts';
import { createAcceptedCheck, createValid } from './create-check.ts';

/** The checks of valid deliveries with this scheme. Every other check requires them. */
export function listValidDeliveryChecks(scheme: SignatureScheme): readonly ReceiverCheck[] {
  const checks = [
    genuineCheck,
    secondDeliveryCheck,
    ...(scheme.encoding === 'hex' ? [leadingZeroCheck] : []),
    ...(hasTimestamp(scheme) && scheme.timestampFormat === 'iso8601' ? [wholeMinuteCheck] : []),
  ];
  return checks.map((check) => ({ ...check, requires: [] }));
}

/** Its side effect shows whether side effects can be counted. */
const genuineCheck: ReceiverCheck = {
  id: 'signature.genuine',
  sent: 'a valid delivery',
  async run(session) {
    let sent: SentEvent | undefined;
    const step = createValid((factory, event) => {
      sent = event;
      return createOrdinary(factory, event);
    });
    const { record } = await session
      .check([step], { observes: session.unobservable === null })
      .catch((error) => {
        session.unobservable = session.noteObserverProblem(error).text;
        return session.check([step]);
      });
    const [first] = record.exchanges;
    if (first === undefined || !isAccepted(first.response)) {
      const meaning = first && sent ? await explainFailure(first.response, sent, session) : '';
      return failed(describePlay(record), meaning);
    }
    session.unobservable ??= findObserverProblem(record.sideEffects?.count ?? 0, session.options.timeoutMs);
    return passed(describePlay({ ...record, sideEffects: null }), 'Your receiver accepts valid deliveries.');
  },
};

/** Why the side effects of a single valid delivery cannot be used; null if there is one. */
function findObserverProblem(count: number, timeoutMs: number): string | null {
  if (count === 1) return null;
  return count === 0
    ? `The --observe count did not rise within ${formatDuration(timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
    : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`;
}

/** Enough to show that a receiver that rejects a later delivery does so because of what is unusual about it. */
const ORDINARY_DELIVERIES = 4;
const isWholeMinute = ({ timestamp }: SignedMessage) => timestamp.endsWith(':00Z');
/** Without a digest that begins with 0 and a whole minute: each is the defect of another check, which must not meet the other by chance. */
const createOrdinary = createMatching(
  (message, digest) => !digest.startsWith('0') && !isWholeMinute(message),
);

const secondDeliveryCheck = createAcceptedCheck({
  id: 'signature.second',
  sent: `${ORDINARY_DELIVERIES} more valid deliveries`,
  remedy:
    'It accepted the first one. It keeps state between requests, such as one HMAC object or one regular expression with the flag g, several processes with different settings respond, or it accepts only some digests. Send the same valid delivery several times, and log what it compares.',
  create: createOrdinary,
  count: ORDINARY_DELIVERIES,
});

const leadingZeroCheck = createAcceptedCheck({
  id: 'signature.leading-zero',
  sent: 'a valid delivery whose digest begins with 0',
  remedy:
    'It loses zeros at the start of the digest, as BigInteger.toString(16) in Java does, so it rejects one of 16 deliveries. Write each byte with two hex digits.',
  create: createMatching((message, digest) => digest.startsWith('0') && !isWholeMinute(message)),
});

const wholeMinuteCheck = createAcceptedCheck({
  id: 'timestamp.whole-minute',
  sent: 'a valid delivery whose timestamp ends in :00Z',
  remedy:
    'It verifies a timestamp that it has parsed and formatted again, as OffsetDateTime.toString in Java does, which leaves out seconds of 0. Verify the text of the header.',
  create: createMatching((message, digest) => !digest.startsWith('0') && isWholeMinute(message)),
});

/** Creates valid deliveries until one matches. Each try changes the timestamp or, if the scheme doesn't sign it, adds an unknown field. */
function createMatching(isWanted: (message: SignedMessage, digest: string) => boolean) {
  return (factory: DeliveryFactory, event: SentEvent): SignedMessage => {
    const { scheme } = factory;
    for (let tries = 0; ; tries++) {
      const isSame = tries === 0 || scheme.content.includes('{timestamp}');
      const body = isSame ? event.body : addField(event.body, UNKNOWN_FIELD, String(tries));
      const message = factory.sign({ ...event, body }, { ageMs: tries * SECOND_MS });
      const { digests } = parseSignatureHeader(scheme, message.headers[scheme.headers.signature] ?? '');
      // Every 16th hex digest begins with 0.
      if (isWanted(message, digests[0] ?? '')) return message;
    }
  };
}

/** @param response to a valid delivery of the event */
async function explainFailure(
  response: ReceiverResponse,
  event: SentEvent,
  session: CheckSession,
): Promise<string> {
  const { status } = response;
  if (response.failure === 'timeout') {
    return 'Your receiver does not respond to a valid delivery in time, so the service counts it as failed. Return a 2xx response as soon as you have stored the delivery, and process it later.';
  }
  if (status === null) {
    const cause = response.failure === 'tls' ? ', because its TLS connection fails' : '';
    return `No delivery reaches your receiver${cause}. ${getConnectionHint(response)}`;
  }
  if (status >= 300 && status < 400) {
    return 'Your receiver redirects, and svc does not follow redirects. If it expects deliveries at the target, pass that URL.';
  }
  if (status === 404 || status === 405) {
    return 'There is probably no POST route at this path. Check the path of the URL. If it is correct, read the log of your receiver.';
  }
  if (!isRejected(response)) return 'Your receiver fails on a valid delivery. Check its log.';
  return (
    (await findMistake(event, session)) ??
    'Your receiver rejects a valid delivery. Check that it uses the secret given with --secret, and that it verifies the content that the scheme signs.'
  );
}

/** Sends deliveries that only a receiver with another scheme or a known mistake accepts, until it accepts one, or the time is over. */
async function findMistake(event: SentEvent, session: CheckSession): Promise<string | null> {
  const { factory, apiKey, options } = session;
  const startedAt = performance.now();
  const { scheme, secret } = factory;
  const { id, timestamp, body, headers: validHeaders } = factory.sign(event);
  const input = {
    scheme,
    secrets: [secret],
    message: { id, timestamp, body },
    otherSecrets: apiKey === null ? [] : [{ name: 'the API key', secret: apiKey }],
  };
  const accepts = async (headers: Readonly<Record<string, string>>) => {
    const step = createValid(() => ({ body, headers: { ...validHeaders, ...headers } }));
    const { record } = await session.check([step]);
    return record.exchanges.some(({ step, response }) => step !== null && isAccepted(response));
  };
  const now = () => parseTimestamp(factory.sign(event).timestamp) ?? 0;
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
