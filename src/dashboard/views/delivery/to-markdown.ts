/** An attempt as Markdown. */
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json-text.ts';
import { createSecretRemover } from '../../../domain/secret-remover.ts';
import type { Explanation } from '../../../operations/explanation-schemas.ts';
import type { Attempt } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';

type Headers = Attempt['request']['headers'];

/**
 * What an attempt sent and received and why it failed, for a colleague.
 * @param secrets values to remove, in addition to those that headers and known forms reveal
 */
export function toMarkdown(
  delivery: DeliveryDetail,
  { number, request, response, response_status: status, error }: Attempt,
  { summary, detail, evidence }: Explanation,
  secrets: readonly string[],
): string {
  const remover = createSecretRemover(secrets, [request.headers, response?.headers ?? {}]);
  const toMessage = (start: string, headers: Headers, body: string) =>
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
export function formatHeaders(headers: Headers): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
