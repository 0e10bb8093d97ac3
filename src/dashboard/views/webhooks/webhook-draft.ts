/** The form values of an endpoint and their conversion for the control plane. */
import type { WebhookDetail } from '../../../contract/resources.ts';
import { type WebhookSettings, webhookDefaults } from '../../../contract/webhook-settings.ts';
import { addHeaderLine } from '../../../domain/delivery-headers.ts';
import { SvcError } from '../../../errors.ts';

/** The settings of the form. A button of the page changes the others. */
type FormSettings = Pick<WebhookDetail, Exclude<keyof WebhookSettings, 'disabled'>>;
type TextSetting = 'events' | 'headers';
export type WebhookDraft = Omit<FormSettings, TextSetting> & Readonly<Record<TextSetting, string>>;

const { disabled: _disabled, ...emptySettings } = { url: '', ...webhookDefaults };

/** Event types are separated by commas or spaces. Headers are `Name: value`, one per line. */
export function toDraft(webhook: FormSettings): WebhookDraft {
  const { events, headers, ...others } = pickSettings(webhook);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return { ...others, events: events.join(', '), headers: lines.join('\n') };
}

export const emptyWebhook = toDraft(emptySettings);

/** An empty text is the default of its setting, such as null. @throws SvcError `usage` for an invalid header */
export function toWebhook({ url, events, headers, ...others }: WebhookDraft): FormSettings {
  const entered = Object.entries<unknown>(others).filter(([, value]) => value !== '');
  return {
    ...{ ...emptySettings, ...Object.fromEntries(entered) },
    ...{ url: url.trim(), events: toTypes(events), headers: toHeaders(headers) },
  };
}

/** The settings of the form. */
export function pickSettings(webhook: FormSettings): FormSettings {
  const names = Object.keys(emptySettings) as (keyof FormSettings)[];
  return Object.fromEntries(names.map((name) => [name, webhook[name]])) as FormSettings;
}

function toTypes(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== '');
}

function toHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.reduce<Record<string, string>>((previous, line) => {
    const headers = addHeaderLine(line, previous);
    if (typeof headers === 'string') throw new SvcError('usage', `headers cannot be added: ${headers}.`);
    return headers;
  }, {});
}
