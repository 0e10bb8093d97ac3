/** An attempt in formats to copy: curl, raw HTTP, a Vitest test. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { toDeliveryHints } from '../../../diagnosis/delivery-hints.ts';
import { indentJson, parseJsonObject } from '../../../domain/json.ts';
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
    ...headers,
    Host: host,
    Connection: 'keep-alive',
    'Content-Length': String(length),
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

/**
 * A complete Vitest file that triggers the same event and expects its delivery. When the body is no longer an event
 * envelope, because the user edited it, the test uses the fixture of the type.
 */
export function toVitestTest({ event_type: type }: DeliveryDetail, { body }: Request): string {
  const payload = findPayload(body);
  const name = quoteForScript(type);
  const [declaration, argument, expectation] =
    payload === null
      ? ['', '', '{ times: 1, to: receiver.url }']
      : [
          `  const payload = ${toLiteral(payload)};\n`,
          ', payload',
          '{ times: 1, to: receiver.url, payload }',
        ];
  return `import { test } from 'svc-emulator/vitest';
import { expect } from 'vitest';

test(${quoteForScript(`${type} is delivered`)}, async ({ workspace, receiver }) => {
${declaration}  await workspace.trigger(${name}${argument});

  await expect(workspace).toHaveDelivered(${name}, ${expectation});
  const request = await receiver.request(1);
  expect(request.verification).toMatchObject({ ok: true });
});
`;
}

/** JSON text of the payload in an envelope; null when the body is not one. */
function findPayload(body: string): string | null {
  try {
    const record = parseJsonObject(body).fieldText('data');
    const payload = record && parseJsonObject(record).fieldText('payload');
    return payload?.startsWith('{') ? payload : null;
  } catch {
    return null;
  }
}

/** JSON is valid JavaScript, except that `__proto__` sets the prototype and some numbers lose precision. */
function toLiteral(json: string): string {
  const literal = indentJson(json)
    .replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replaceAll('\n', '\n  ');
  // Also matches strings, to skip the numbers in them.
  const numbers = Array.from(json.matchAll(/"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/g), ([, number]) => number);
  const isExact = numbers.every((number) => number === undefined || String(Number(number)) === number);
  return isExact ? literal : `${literal} /* JavaScript changes how some of these numbers are written. */`;
}

function quoteForScript(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
}
