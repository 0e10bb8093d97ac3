/** Parses the senders of the configuration file, and selects one. */
import { basename } from 'node:path';
import * as v from 'valibot';
import { findHeaderNameProblem } from '../domain/delivery-headers.ts';
import { formatDuration } from '../domain/duration.ts';
import { isObject } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import {
  customSenderDefaults,
  getSender,
  placeholders,
  type SenderName,
  senderNames,
  senders,
  type WebhookSender,
} from '../profile/senders.ts';
import { invalidValueError, toSnakeCase, type ValueLocation } from '../resources/configured-value.ts';
import { accept, duration, parsedText } from '../resources/value-schemas.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { findSchemeProblem, schemeNames, schemes } from '../signature/schemes.ts';

export type CustomSenders = Readonly<Record<string, WebhookSender>>;

const SENDER_NAME = /^[a-z][a-z0-9-]*$/;

export const customSenders = v.lazy((value): v.GenericSchema<unknown, CustomSenders> => {
  if (!isObject(value)) return accept<CustomSenders>('an object that maps names to senders', () => false);
  return v.strictObject(Object.fromEntries(Object.keys(value).map((name) => [name, createSchema(name)])));
});

function createSchema(name: string): v.GenericSchema<unknown, WebhookSender> {
  if (!SENDER_NAME.test(name) || Object.hasOwn(senders, name)) {
    const problem = 'must have a lowercase name, such as "acme", that differs from the built-in senders';
    return v.custom<WebhookSender>(() => false, problem);
  }
  return v.pipe(
    v.strictObject({
      scheme: v.optional(
        v.lazy((value) => (isObject(value) ? createSchemeSchema(name) : v.picklist(schemeNames))),
        {},
      ),
      body: v.optional(v.picklist(['envelope', 'payload']), customSenderDefaults.body),
      headers: v.optional(v.record(headerName, headerTemplate), customSenderDefaults.headers),
      event_id: v.optional(bodyPath),
      event_type: v.optional(bodyPath),
      types: v.optional(parsedText('a regular expression that matches whole event types', parseTypes)),
      retry: v.optional(v.array(duration())),
      source: v.optional(v.string()),
    }),
    v.transform(
      ({
        event_id: eventIdPath,
        event_type: eventTypePath,
        types,
        retry,
        source,
        ...fields
      }): WebhookSender =>
        getSender({
          ...fields,
          name,
          eventIdPath,
          eventTypePath,
          ...(types && { types }),
          ...(retry && { retryDelaysMs: retry }),
          ...(source && { source }),
        }),
    ),
  );
}

const bodyPath = accept<string>(
  'the path of a field of the body, such as "event.id"',
  (value) => typeof value === 'string' && /^[\w-]+(?:\.[\w-]+)*$/.test(value),
);

const headerName = v.pipe(
  v.string(),
  v.check(
    (name) => findHeaderNameProblem(name) === null,
    ({ input }) => String(findHeaderNameProblem(input)),
  ),
);

const headerTemplate = accept<string>(
  `a text in ASCII that contains no placeholders other than ${placeholders.map((name) => `{${name}}`).join(', ')}`,
  (value) =>
    typeof value === 'string' &&
    /^[\x20-\x7e]*$/.test(value) &&
    Array.from(value.matchAll(/\{([^{}]*)\}/g)).every(([, name]) =>
      placeholders.some((known) => known === name),
    ),
);

function parseTypes(pattern: string): RegExp | null {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch {
    return null;
  }
}

/** Converts senders to what the file would contain, with all fields. */
export function toFileSenders(custom: CustomSenders): Readonly<Record<string, unknown>> {
  const entries = Object.entries(custom).map(([name, { scheme, body, headers, types, ...sender }]) => {
    const { name: _, ...schemeFields } = scheme;
    const file = {
      scheme: toFileValue(schemeFields),
      body,
      headers,
      event_id: sender.eventIdPath,
      event_type: sender.eventTypePath,
      types: types.source,
      retry: sender.retryDelaysMs?.map((ms) => formatDuration(ms)),
    };
    return [name, file];
  });
  return Object.fromEntries(entries);
}

function toFileValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => [toSnakeCase(name), toFileValue(field)]);
  return Object.fromEntries(entries);
}

/** The settings that select a sender. */
interface SenderSettings {
  /** The name of a built-in sender, or of one in `senders`. */
  readonly sender: string;
  readonly senders: CustomSenders;
}

export function selectSender({ sender, senders: custom }: SenderSettings): WebhookSender {
  // `checkSender` has rejected other names.
  return custom[sender] ?? senders[sender as SenderName];
}

/**
 * Checks the setting `sender` against the other settings.
 * @param source where the setting comes from: a file with its path, an option or variable with its name, or `default`
 * @throws SvcError `validation_failed` for a sender that does not exist
 */
export function checkSender(
  { sender, senders: custom }: SenderSettings,
  source: { readonly kind: string; readonly name: string },
): void {
  const names = [...senderNames, ...Object.keys(custom)];
  const valueLocation: ValueLocation = {
    ...(source.kind === 'file' ? { path: 'sender', file: basename(source.name) } : { path: source.name }),
    toHint: (expected) =>
      suggestMatch(sender, names, (name) => JSON.stringify(name)) ??
      `Use ${expected}, or define a sender with this name in the field senders of svc.config.json.`,
  };
  if (!names.includes(sender)) throw invalidValueError(sender, `one of ${names.join(', ')}`, valueLocation);
}

/** The schema of a scheme in the file. Its output is a scheme of the library. */
function createSchemeSchema(name: string): v.GenericSchema<unknown, SignatureScheme> {
  return v.pipe(
    v.lazy((value) => createFieldsSchema(getDefaults(Object(value).key))),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      // Not yet checked.
      const scheme = { name, ...(toLibraryFields(dataset.value) as Omit<SignatureScheme, 'name'>) };
      const problem = findSchemeProblem(scheme);
      if (problem === null) return scheme;
      const [input, keys] = [toFileValue(problem.value), problem.path.split('.').map(toSnakeCase)];
      const path = keys.map((key) => ({
        type: 'unknown' as const,
        origin: 'value' as const,
        input,
        key,
        value: input,
      }));
      addIssue({ expected: problem.expected, input, path: path as [(typeof path)[0]] });
      return NEVER;
    }),
  );
}

/** The defaults for missing fields: those of the scheme `svc`, and a prefix for a key that is decoded. */
function getDefaults(key: unknown): object {
  const { name: _, ...svcFields } = schemes.svc;
  const { form = svcFields.key.form } = Object(key);
  return form === svcFields.key.form ? svcFields : { ...svcFields, key: { form, prefix: 'whsec_' } };
}

/** An object that has only these fields. Another value stays unchanged, which `findSchemeProblem` rejects. */
function createFieldsSchema(defaults: object): v.GenericSchema {
  const entries = Object.entries(defaults).map(([name, value]: [string, unknown]) => [
    toSnakeCase(name),
    isObject(value)
      ? v.optional(
          v.lazy((field) => (isObject(field) ? createFieldsSchema(value) : v.unknown())),
          {},
        )
      : v.optional(v.unknown(), value),
  ]);
  return v.strictObject(Object.fromEntries(entries));
}

function toLibraryFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const toCamelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [toCamelCase(name), toLibraryFields(field)]),
  );
}
