/** An attempt and its delivery in the forms in which they are of use elsewhere. Pure. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { toCurl } from '../../../domain/curl.ts';
import { indentJson, parseJsonObject } from '../../../domain/json.ts';
import { quoteForShell } from '../../../domain/shell.ts';

type Request = AttemptDetail['request'];

/** The very request, as a command for a POSIX shell. */
export function toCurlCommand({ url, headers, body }: Request): string {
  return toCurl({ url, headers, body });
}

/** The same request signed anew, for a receiver that refuses a timestamp of before. */
export function toSignedCurlCommand({ id }: DeliveryDetail, { url, body }: Request): string {
  const payload = quoteForShell(body);
  return `svc sign --id ${id} --secret SECRET --payload ${payload} --curl ${quoteForShell(url)} | sh`;
}

/** The request as it goes over the wire. */
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

/** What a terminal can do with the delivery, each command with what it does. */
export function listCommands({ id, event_id: event }: DeliveryDetail): { does: string; command: string }[] {
  return [
    { does: 'Show it with all of its attempts', command: `svc deliveries get ${id}` },
    { does: 'Send it again under the same id', command: `svc deliveries replay ${id}` },
    {
      does: 'Find out whether its signature is valid',
      command: `svc verify --delivery ${id} --secret SECRET`,
    },
    { does: 'Show its event', command: `svc events get ${event}` },
  ];
}

/**
 * A whole file for Vitest that triggers the same event and expects its delivery. Where the body is not the envelope of
 * an event any more, because it was edited, the test takes the fixture of the type.
 */
export function toVitestTest({ event_type: type }: DeliveryDetail, { body }: Request): string {
  const payload = findPayload(body);
  const name = quoteForScript(type);
  const [declared, passed, expected] =
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
${declared}  await workspace.trigger(${name}${passed});

  await expect(workspace).toHaveDelivered(${name}, ${expected});
  const request = await receiver.nth(1);
  expect(request.verification).toMatchObject({ ok: true });
});
`;
}

/** JSON text of the payload in an envelope; null where the body is none. */
function findPayload(body: string): string | null {
  try {
    const record = parseJsonObject(body).memberText('data');
    const payload = record && parseJsonObject(record).memberText('payload');
    return payload?.startsWith('{') ? payload : null;
  } catch {
    return null;
  }
}

/** JSON is JavaScript, but for a member that would set the prototype, and for numbers that come out otherwise. */
function toLiteral(json: string): string {
  const literal = indentJson(json)
    .replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replaceAll('\n', '\n  ');
  const numbers = Array.from(json.matchAll(/"(?:[^"\\]|\\.)*"|(-?\d[\d.eE+-]*)/g), ([, number]) => number);
  const isExact = numbers.every((number) => number === undefined || String(Number(number)) === number);
  return isExact ? literal : `${literal} /* JavaScript writes some of these numbers otherwise. */`;
}

function quoteForScript(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
}
