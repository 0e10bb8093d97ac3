/** The settings of an endpoint as texts of a form. */
import { addHeaderLine } from '../../../domain/delivery-headers.ts';
import { SvcError } from '../../../domain/errors.ts';
import { pickSettable } from '../../../resources/define-resource.ts';
import {
  type EndpointSettings,
  endpointDefaults,
  endpointTable,
  type WebhookDetail,
} from '../../../resources/endpoint.ts';

const { disabled: _, ...settings } = pickSettable(endpointTable);
/** The settings of the form. A button of the page changes the other one. */
export const formTable = settings;
const { disabled: __, ...initial } = { url: '', ...endpointDefaults };
export const defaults = initial;
export type FormSettings = Pick<WebhookDetail, Exclude<keyof EndpointSettings, 'disabled'>>;
type Draft = Readonly<Record<string, string>>;

export function pickSettings(endpoint: FormSettings): FormSettings {
  const names = Object.keys(formTable) as (keyof FormSettings)[];
  return Object.fromEntries(names.map((name) => [name, endpoint[name]])) as FormSettings;
}

/** Lists are separated by commas, and objects have one field per line, as `Name: value`. False is empty. */
export function toDraft(endpoint: FormSettings): Draft {
  return Object.fromEntries(
    Object.entries<unknown>(pickSettings(endpoint)).map(([name, value]) => [name, toText(value)]),
  );
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value || '');
  return Object.entries(value)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');
}

/** An empty text is the default of its setting. @throws SvcError `usage` for an invalid header */
export function toSettings(draft: Draft): FormSettings {
  const entries = Object.entries<unknown>(defaults).map(([name, fallback]) => {
    const text = draft[name]?.trim() ?? '';
    if (Array.isArray(fallback)) return [name, text.split(/[\s,]+/).filter((item) => item !== '')];
    if (typeof fallback === 'object' && fallback !== null) return [name, toHeaders(text)];
    if (typeof fallback === 'boolean') return [name, text !== ''];
    return [name, text || fallback];
  });
  return Object.fromEntries(entries);
}

function toHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.reduce<Record<string, string>>((previous, line) => {
    const headers = addHeaderLine(line, previous);
    if (typeof headers === 'string') throw new SvcError('usage', `headers cannot be added: ${headers}.`);
    return headers;
  }, {});
}
