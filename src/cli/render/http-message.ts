/** Renders the headers and bodies of HTTP messages. */
import { indentJson } from '../../domain/json-text.ts';
import { sanitizeLines } from '../terminal-text.ts';
import { styleFor } from './style.ts';

export function renderSection(name: string, text: string, capabilities: { readonly color: boolean }): string {
  return `${styleFor(capabilities).dim(name)}\n${indent(sanitizeLines(text))}`;
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
  readonly truncated: boolean;
}

/** The start line, the headers and the body. JSON is indented. */
export function renderMessageText(
  startLine: string | number | null,
  { headers, body, encoding, truncated }: Message,
): string {
  const text = encoding === 'base64' ? `(base64) ${body}` : indentJson(body);
  return `${startLine ?? ''}\n${formatHeaders(headers)}\n\n${text}${truncated ? '\n… (truncated)' : ''}`.trim();
}

/** `name: value`, one per line. */
export function formatHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ');
}
