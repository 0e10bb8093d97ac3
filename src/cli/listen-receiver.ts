/** The receiver of `svc listen` without a URL: it verifies each request, and gives the responses of a script. */
import type { IncomingMessage } from 'node:http';
import { indentJson } from '../domain/json-text.ts';
import type { TopicItem } from '../operations/stream-schemas.ts';
import { findEventType, findField, getIdHeader, senders } from '../profile/senders.ts';
import { readReceivedRequest, verifyReceivedRequest } from '../receivers/received-request.ts';
import { type ReceiverResponseOptions, startReceiverServer } from '../receivers/receiver-server.ts';
import type { RegisteredWebhook } from '../resources/endpoint.ts';
import type { VerifyResult } from '../signature/verify.ts';
import type { Context } from './context.ts';
import type { TerminalCapabilities } from './process-context.ts';
import { formatSecondOfDay } from './render/format.ts';
import { describeNextStep } from './render/stream-items.ts';
import { styleFor } from './render/style.ts';
import { truncateLine } from './render/text-width.ts';
import { printHint } from './report-error.ts';

/** A status; `timeout` never responds; `reset` resets the connection. */
export type ScriptedResponse = number | 'timeout' | 'reset';

/** The endpoint of `svc listen`. It changes when the emulator has lost it and it is registered again. */
export interface Listener {
  registered: RegisteredWebhook;
}

/** A request that the receiver got, as `--json` prints it. */
interface ReceivedItem {
  readonly type: 'received';
  readonly received_at: string;
  readonly response: ScriptedResponse;
  /** Null if the request does not show it. */
  readonly event_type: string | null;
  readonly event_id: string | null;
  /** Null if the sender sends none. */
  readonly delivery_id: string | null;
  /** How often the receiver got this delivery until now, this time included; null if it has no ID. */
  readonly times_received: number | null;
  readonly verification: VerifyResult;
  readonly body?: string;
}

interface ListenReceiverOptions {
  /** Default: the configured one. */
  readonly sender?: string | undefined;
  /** The last one is repeated. A request that is not genuine gets 400 instead. */
  readonly responses: readonly ScriptedResponse[];
  readonly printsBodies: boolean;
  /** If false, the receiver prints nothing. */
  readonly printsRequests: boolean;
}

/** The status for a request that is not genuine (§6.4). */
const REJECTED = 400;

export interface ListenReceiver {
  readonly url: string;
  /** Starts to handle requests, which wait until then. Call it when the endpoint is registered and its heading is printed. */
  begin(listener: Listener): void;
  /** Prints when a failed delivery is sent again, and why an attempt got no response. */
  printFailure(item: TopicItem): void;
  close(): Promise<void>;
}

export async function startListenReceiver(
  { sender: selected, responses, printsBodies, printsRequests }: ListenReceiverOptions,
  context: Context,
): Promise<ListenReceiver> {
  const { io, json, now } = context;
  const rules = await context.resolveRules({ sender: selected });
  const { sender: configured, signature, signatureToleranceMs: toleranceMs } = rules;
  const { values } = await context.resolveConfig();
  const knownSenders = [
    { ...configured, scheme: signature },
    ...Object.values(values.senders),
    ...Object.values(senders),
  ];
  /** Number of requests by the ID of the delivery, or else of the event. */
  const counts = new Map<string, number>();
  let genuineCount = 0;
  let hasPrintedHint = false;
  let begin: (listener: Listener) => void = () => {};
  const begun = new Promise<Listener>((resolve) => {
    begin = resolve;
  });

  function takeResponse(): ScriptedResponse {
    return responses[Math.min(genuineCount++, responses.length - 1)] ?? 200;
  }

  async function respond(incoming: IncomingMessage): Promise<ReceiverResponseOptions> {
    const request = await readReceivedRequest(incoming, now);
    const listener = await begun;
    const { headers, envelope, json } = request;
    // The configured sender, or another one whose header the request has: the emulator can have another configuration.
    const sender =
      knownSenders.find(({ scheme }) => scheme.headers.signature.toLowerCase() in headers) ?? configured;
    const { scheme } = sender;
    const { secret } = listener.registered;
    const verification = verifyReceivedRequest(request, { scheme, toleranceMs, secret });
    const response = verification.ok ? takeResponse() : REJECTED;
    const deliveryId = headers[getIdHeader(sender)?.toLowerCase() ?? '']?.toString() ?? null;
    // The emulator can send the envelope with the scheme of another sender.
    const eventId =
      sender.eventIdPath === undefined ? null : (findField(json, sender.eventIdPath) ?? request.eventId);
    const key = deliveryId ?? eventId;
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    const item: ReceivedItem = {
      type: 'received',
      received_at: new Date(request.at).toISOString(),
      response,
      event_type: envelope?.type ?? findEventType(sender, json, headers),
      event_id: eventId,
      delivery_id: deliveryId,
      times_received: key === null ? null : (counts.get(key) ?? null),
      verification,
      ...(printsBodies && { body: request.body.toString() }),
    };
    if (printsRequests) context.printItem(item, () => renderReceived(item, io));
    if (response === 'reset') incoming.socket.resetAndDestroy();
    return toResponseOptions(response);
  }

  const server = await startReceiverServer(respond);
  return {
    url: `${server.url}/`,
    begin,
    printFailure(item) {
      if (item.type !== 'attempt' || item.attempt.outcome === 'succeeded') return;
      const { attempt, delivery } = item;
      const reason = attempt.outcome === 'http_error' ? '' : `${attempt.error}; `;
      io.note(`${json ? '' : INDENT}${reason}${delivery.id}: ${describeNextStep(item) ?? delivery.status}`);
      if (hasPrintedHint || delivery.next_attempt_at === null) return;
      hasPrintedHint = true;
      printHint({ text: 'Move the clock to the next retry', command: 'svc clock next' }, io);
    },
    close: () => server.close(),
  };
}

/** The width of the time and the gap after it. */
const INDENT = ' '.repeat('hh:mm:ssZ  '.length);

function toResponseOptions(response: ScriptedResponse): ReceiverResponseOptions {
  if (response === 'timeout') return { after: new Promise(() => {}) };
  return response === 'reset' ? { drop: true } : { status: response };
}

/** One line; below it why the request is not genuine, and the body. */
function renderReceived(item: ReceivedItem, capabilities: TerminalCapabilities): string {
  const { response, verification, body } = item;
  const { green, red } = styleFor(capabilities);
  const isSuccess = typeof response === 'number' && response < 300;
  const symbol = capabilities.unicode ? `${isSuccess ? '✓' : '✗'} ` : '';
  const summary = [
    formatSecondOfDay(item.received_at),
    (isSuccess ? green : red)(`${symbol}${response}`),
    verification.ok ? 'verified' : red('not verified'),
    item.times_received === null ? null : `#${item.times_received}`,
    item.event_type ?? (verification.ok ? null : 'not a delivery'),
    // Before the ID of the event, so that 80 columns show the complete ID of the delivery.
    item.delivery_id,
    item.event_id,
  ];
  const lines = [truncateLine(capabilities, summary.filter((text) => text !== null).join('  '))];
  if (!verification.ok) lines.push(`${INDENT}${verification.detail}`);
  if (body !== undefined) lines.push(indentJson(body).replace(/^/gm, INDENT));
  return lines.join('\n');
}
