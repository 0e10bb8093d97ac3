/** Reads what a response says: its status, its headers and its messages, without the values that it repeats from the request. */
import { decodeHtml } from '../domain/escape-html.ts';
import { tryParseJson } from '../domain/json.ts';
import type { Attempt } from '../resources/attempt.ts';

/** A longer body is not a message: JSON is data, and a page or a text is a debug page, of which only the beginning is read. */
const MAX_JSON_CHARS = 4_000;
const MAX_TEXT_CHARS = 600;
const MAX_LINES = 8;
const MAX_LINE_CHARS = 300;

/**
 * Reads a response: each message as it was received and without values of the request, the first message that says more than the
 * status (null without one), and the page, which is empty if the body is not HTML.
 */
export function readResponse({ response_status: status, request, response }: Attempt) {
  const body = response?.encoding === 'utf8' ? response.body.trim() : '';
  const isPage = PAGE.test(body);
  const found = listMessages(body, isPage).map((message) => message.replace(/\s+/g, ' ').trim());
  const received = [...new Set(found)].filter((message) => /\w/.test(message));
  const echoes = listSentValues(request);
  return {
    status: status ?? 0,
    headers: response?.headers ?? {},
    messages: received.map((message) => ({
      received: message,
      text: echoes.reduce((text, echo) => text.replaceAll(echo, ''), message).slice(0, MAX_LINE_CHARS),
    })),
    says: received.find((message) => ![GENERIC, ...DEFAULT].some((pattern) => pattern.test(message))) ?? null,
    page: isPage ? body : '',
  };
}

const PAGE =
  /^(?:<!--.*?-->\s*)*<(?:\?xml|!doctype|html|head|title|meta|body|h1|header|div|center|pre|p|br)\b/is;
/** Messages that repeat the status. */
const GENERIC =
  /^(?:(?:http )?(?:error\b:? ?)?(?:\d{3}\b[:.]? ?)?(?:error|bad request|unauthorized|forbidden|not found|internal server error|server error|method not allowed|unprocessable (?:entity|content)|unsupported media type|payload too large|content too large)?(?: \(?\d{3}\)?)?\.?)$/i;
/** Texts of Werkzeug, hapi, aiohttp, Bottle, Rails and nginx for a status, which nobody wrote for this response. */
const DEFAULT: readonly RegExp[] = [
  /^(?:The browser \(or proxy\) sent a request that|The server could not verify that you are authorized)/,
  /^(?:You don['’]t have the permission to access the requested resource|The server encountered an internal error)/,
  /^The (?:server is temporarily unable to service your request|proxy server received an invalid response)/,
  /^(?:The connection to an upstream server timed out|An internal server error occurred$)/,
  /^(?:Sorry, the requested URL .*|caused an error:|(?:Exception|Traceback):|Server got itself in trouble)$/,
  /^(?:Action Controller: Exception caught$|We['’]re sorry, but something went wrong)/,
  /^The page you were looking for doesn['’]t exist|^(?:nginx|openresty)(?:\/[\d.]+)?$/,
];

function listMessages(body: string, isPage: boolean): string[] {
  if (isPage) return listPageMessages(body);
  const json = /^[[{"]/.test(body) && body.length <= MAX_JSON_CHARS ? tryParseJson(body) : undefined;
  if (json !== undefined) return listJsonMessages(json);
  return /^[[{]/.test(body) ? [] : listLines(body);
}

/** Fields of an error that contain a message, the most precise first. Others are values, such as a path or a time. */
const MESSAGE_FIELDS = [
  'message',
  'detail',
  'details',
  'error_description',
  'description',
  'msg',
  'title',
  'reason',
  'error',
  'err',
  'errors',
  'code',
];

function listJsonMessages(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).flatMap(listJsonMessages);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const messages = MESSAGE_FIELDS.flatMap((name) => listJsonMessages(fields[name]));
  // FastAPI names the part of the request: `header x-signature: field required`.
  const place = Array.isArray(fields.loc) ? `${fields.loc.join(' ')}: ` : '';
  return messages.map((message) => place + message);
}

/** The title, the headings, and the first lines of a page. A debug page continues with source code, settings and a stack trace. */
function listPageMessages(page: string): string[] {
  // The message of S3, and the exception on the debug pages of Django and Rails.
  const marked =
    /<(title|h1|h2|message)\b[^>]*>(.*?)<\/\1>|<(?:pre class="exception_value"|div class="message")>(.*?)<\/(?:pre|div)>/gis;
  const headings = Array.from(page.matchAll(marked), ([, , text, value]) => toText(text ?? value ?? ''));
  const lines = page
    .replace(/<head\b.*?<\/head>/gis, ' ')
    .replace(/<\/?(?:p|div|h\d|li|tr|pre|br|hr|td|th|table|header|main|section|center|body)\b[^>]*>/gi, '\n');
  return [...headings.slice(0, MAX_LINES), ...listLines(toText(lines))];
}

/** The visible text of a page. */
export function toText(page: string): string {
  return decodeHtml(page.replace(/<!--.*?-->|<(script|style|noscript)\b.*?<\/\1>|<[^>]*>/gis, ' '));
}

/** The lines before a stack trace: all lines of a short text, the first one of another. */
function listLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const trace = lines.findIndex((line) =>
    /^(?:at .*[:(]|File ".*", line \d|Traceback\b|\S+:\d+:in )/.test(line),
  );
  const message = (trace === -1 ? lines : lines.slice(0, trace)).filter((line) => line !== '');
  const isShort = message.join(' ').length <= MAX_TEXT_CHARS;
  return message.slice(0, isShort ? MAX_LINES : 1);
}

/** Values of the request that a response can repeat. A single word can also be one of the response. */
function listSentValues({ url, headers, body }: Attempt['request']): string[] {
  const { host, pathname, search } = new URL(url);
  const sent = [...Object.values(headers), ...listStrings(tryParseJson(body))];
  return [...new Set([url, pathname + search, pathname, host, ...sent])]
    .filter((value) => value.length >= 4 && !/^[a-z]+$/i.test(value))
    .sort((first, second) => second.length - first.length);
}

function listStrings(json: unknown): string[] {
  return typeof json === 'string' ? [json] : Object.values(Object(json)).flatMap(listStrings);
}
