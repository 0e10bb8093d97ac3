/** An attempt in formats to copy: curl and raw HTTP. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { toDeliveryHints } from '../../../domain/attempt-hints.ts';
import { quoteForShell } from '../../../domain/shell.ts';
import type { Hint } from '../../../errors.ts';

type Request = AttemptDetail['request'];

/** The same request with a new signature, for receivers that reject old timestamps. */
export function toSignedCurlCommand({ id }: DeliveryDetail, { url, body }: Request): string {
  const payload = quoteForShell(body);
  return `svc sign --id ${id} --secret SECRET --payload ${payload} --curl ${quoteForShell(url)} | sh`;
}

/** The exact bytes of the HTTP request. */
export function toRawRequest({ url, headers, body }: Request): string {
  const { pathname, search, host } = new URL(url);
  const length = new TextEncoder().encode(body).length;
  const lines = formatHeaders({
    host,
    connection: 'keep-alive',
    ...headers,
    'content-length': String(length),
  });
  return [`POST ${pathname}${search} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/** `Name: value` */
export function formatHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** `svc` commands for the delivery. Those of its explanation come first. */
export function listCommands(delivery: DeliveryDetail, hints: readonly Hint[]): Hint[] {
  const { id, event_id: event } = delivery;
  const { show, replay } = toDeliveryHints(delivery);
  const ownCommands: Hint[] = [
    show,
    replay,
    { text: 'Verify the signature', command: `svc verify --delivery ${id}` },
    { text: 'Show the event', command: `svc events get ${event}` },
  ];
  const hintCommands = hints.flatMap(({ command }) => command ?? []);
  return [
    ...hints.filter(({ command }) => command !== undefined),
    ...ownCommands.filter(({ command = '' }) => !hintCommands.includes(command)),
  ];
}
