/** The form values of an endpoint and their conversion for the control plane. */
import type { WebhookDetail } from '../../../contract/resources.ts';
import { findCustomHeaderProblem } from '../../../domain/delivery-headers.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { SvcError } from '../../../errors.ts';

export interface WebhookDraft {
  readonly url: string;
  /** Separated by commas or spaces. */
  readonly events: string;
  /** `Name: value`, one per line. */
  readonly headers: string;
  readonly skip_verify: boolean;
}

export const emptyWebhook: WebhookDraft = {
  url: '',
  events: WILDCARD_SUBSCRIPTION,
  headers: '',
  skip_verify: false,
};

export function toDraft({ url, events, headers, skip_verify }: WebhookDetail): WebhookDraft {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return { url, events: events.join(', '), headers: lines.join('\n'), skip_verify };
}

/** @throws SvcError `usage` for an invalid header */
export function toWebhook({ url, events, headers, skip_verify }: WebhookDraft) {
  return { url: url.trim(), events: toTypes(events), headers: toHeaders(headers), skip_verify };
}

export function toTypes(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== '');
}

/** Adds or removes an event type; `*` matches every type, so it replaces the others. */
export function toggleType(text: string, type: string): string {
  const types = toTypes(text);
  if (types.includes(type)) return types.filter((listed) => listed !== type).join(', ');
  if (type === WILDCARD_SUBSCRIPTION) return WILDCARD_SUBSCRIPTION;
  return [...types.filter((listed) => listed !== WILDCARD_SUBSCRIPTION), type].join(', ');
}

function toHeaders(text: string): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split('\n').filter((text) => text.trim() !== '')) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    if (colon === -1)
      throwHeaderError(`must have the form 'Authorization: Bearer abc', not '${line.trim()}'`);
    const isSameName = (other: string) => other.toLowerCase() === name.toLowerCase();
    const problem = [...headers.keys()].some(isSameName)
      ? `${name} appears twice`
      : findCustomHeaderProblem(name, value);
    if (problem !== null) throwHeaderError(`cannot be added: ${problem}`);
    headers.set(name, value);
  }
  return Object.fromEntries(headers);
}

function throwHeaderError(problem: string): never {
  throw new SvcError('usage', `headers ${problem}.`);
}
