/** An attempt in formats to copy: curl, Markdown, a Vitest test. */

import { toDeliveryHints } from '../../../diagnosis/delivery-hints.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import type { Hint } from '../../../domain/errors.ts';
import { indentJson, parseJsonObject } from '../../../domain/json-text.ts';
import { createSecretRemover } from '../../../domain/secret-remover.ts';
import { quoteForShell } from '../../../domain/shell.ts';
import type { Explanation } from '../../../operations/explanation-schemas.ts';
import type { AttemptDetail } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';

type Request = AttemptDetail['request'];

/** The same request with a new signature, for receivers that reject old timestamps. */
export function toSignedCurlCommand({ id }: DeliveryDetail, { url, body }: Request): string {
  const payload = quoteForShell(body);
  return `svc sign --id ${id} --secret SECRET --payload ${payload} --curl ${quoteForShell(url)} | sh`;
}

/**
 * What an attempt sent and received and why it failed, for a colleague.
 * @param secrets values to remove, in addition to those that headers and known forms reveal
 */
export function toMarkdown(
  delivery: DeliveryDetail,
  { number, request, response, response_status: status, error }: AttemptDetail,
  { summary, detail, evidence }: Explanation,
  secrets: readonly string[],
): string {
  const remover = createSecretRemover(secrets, [request.headers, response?.headers ?? {}]);
  const toMessage = (start: string, headers: Request['headers'], body: string) =>
    [start, ...formatHeaders(remover.fromHeaders(headers)), '', indentJson(body)].join('\n');
  const sent = toMessage(`POST ${remover.fromUrl(request.url)}`, request.headers, request.body);
  const received =
    response === null ? `None: ${error}` : toMessage(`HTTP ${status}`, response.headers, response.body);
  const parts = [
    `# ${delivery.event_type}: ${getDisplayStatus(delivery)}`,
    `Attempt ${number} of \`${delivery.id}\` (event \`${delivery.event_id}\`) to ${remover.fromUrl(delivery.url)}`,
    `**${detail}** ${summary}`,
    evidence.map((fact) => `- ${fact}`).join('\n'),
    `## Request\n\n${toCodeBlock(sent)}`,
    `## Response\n\n${toCodeBlock(received)}`,
  ];
  return `${remover.fromText(parts.filter((part) => part !== '').join('\n\n'))}\n`;
}

/** The fence is longer than each row of backticks in the text. */
function toCodeBlock(text: string): string {
  const rows = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...rows.map(({ length }) => length + 1)));
  return `${fence}\n${text}\n${fence}`;
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
