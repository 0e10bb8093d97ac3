/** Parses the senders of the configuration file, and selects one. */
import * as v from 'valibot';
import { HEADER_NAME, isSchemeHeaderName } from '../domain/delivery-headers.ts';
import { isObject } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import type { SecretKey } from '../domain/secret.ts';
import {
  getSender,
  placeholders,
  type SenderName,
  senderDefaults,
  senderNames,
  senders,
  type WebhookSender,
} from '../profile/senders.ts';
import { invalidValueError, toSnakeCase, type ValueLocation } from '../resources/configured-value.ts';
import { accept, duration, expecting, parsedText, text } from '../resources/value-schemas.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { findSchemeProblem, schemeNames, schemes } from '../signature/schemes.ts';

export type CustomSenders = Readonly<Record<string, WebhookSender>>;

export const customSenders = v.lazy((value): v.GenericSchema<unknown, CustomSenders> => {
  if (!isObject(value)) return accept<CustomSenders>('an object that maps names to senders', () => false);
  return v.strictObject(Object.fromEntries(Object.keys(value).map((name) => [name, createSchema(name)])));
});

function createSchema(name: string): v.GenericSchema<unknown, WebhookSender> {
  if (!/^[a-z][a-z0-9-]*$/.test(name) || Object.hasOwn(senders, name)) {
    const problem = 'must have a lowercase name, such as "acme", that differs from the built-in senders';
    return v.custom<WebhookSender>(() => false, problem);
  }
  return v.pipe(
    v.strictObject({
      scheme: v.optional(
        v.lazy((value) => (isObject(value) ? createSchemeSchema(name) : v.picklist(schemeNames))),
        {},
      ),
      body: v.optional(v.picklist(['envelope', 'payload']), senderDefaults.body),
      headers: v.optional(v.record(headerName, headerTemplate), senderDefaults.headers),
      event_id: v.optional(bodyPath),
      event_type: v.optional(bodyPath),
      types: v.optional(parsedText('a regular expression that matches whole event types', parseTypes)),
      retry: v.optional(v.array(duration())),
      source: v.optional(v.string()),
    }),
    v.transform(({ event_id, event_type, types = senderDefaults.types, retry = null, ...fields }) =>
      getSender({
        ...fields,
        name,
        eventIdPath: event_id,
        eventTypePath: event_type,
        types,
        retryDelaysMs: retry,
      }),
    ),
  );
}

const bodyPath = text('the path of a field of the body, such as "event.id"', (path) =>
  /^[\w-]+(?:\.[\w-]+)*$/.test(path),
);

const headerName = v.pipe(
  v.string(),
  v.regex(HEADER_NAME, 'is not a valid header name'),
  v.check((name) => isSchemeHeaderName(name), 'cannot be set, because svc sets it'),
);

const headerTemplate = expecting(
  `a text in ASCII that contains no placeholders other than ${placeholders.join(', ')}`,
  v.pipe(
    v.string(),
    v.regex(/^[\x20-\x7e]*$/),
    v.check(
      (template) => template.match(/\{[^{}]*\}/g)?.every((name) => placeholders.includes(name)) ?? true,
    ),
  ),
);

function parseTypes(pattern: string): RegExp | null {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch {
    return null;
  }
}

/** The schema of a scheme in the file. Its output is a scheme of the library. */
function createSchemeSchema(name: string): v.GenericSchema<unknown, SignatureScheme> {
  return v.pipe(
    schemeFields,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      // Not yet checked.
      const { key, ...fields } = toLibraryFields(dataset.value) as SignatureScheme;
      const { prefix = key.form === 'utf8' ? undefined : 'whsec_' } = key;
      const scheme = { ...fields, name, key: { ...key, prefix: prefix === null ? '' : prefix } as SecretKey };
      const problem = findSchemeProblem(scheme);
      if (problem === null) return scheme;
      const keys = problem.path.split('.').map(toSnakeCase);
      const input = keys.reduce<unknown>((parent, key) => Object(parent)[key], dataset.value);
      const at = { type: 'unknown', origin: 'value', input, value: input } as const;
      addIssue({ expected: problem.expected, input, path: keys.map((key) => ({ ...at, key })) as [never] });
      return NEVER;
    }),
  );
}

/** The fields of an object in the file, with their defaults. `findSchemeProblem` checks the values. */
function createFieldsSchema(defaults: object): v.GenericSchema<unknown, object> {
  const entries = Object.entries(defaults).map(([name, value]) => [
    toSnakeCase(name),
    isObject(value) ? v.optional(createFieldsSchema(value), {}) : v.optional(v.unknown(), value),
  ]);
  return v.strictObject(Object.fromEntries(entries));
}

const { name: _, ...svcFields } = schemes.svc;
const schemeFields = createFieldsSchema({ ...svcFields, key: { ...svcFields.key, prefix: undefined } });

function toLibraryFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const toCamelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [toCamelCase(name), toLibraryFields(field)]),
  );
}

/** @throws SvcError `validation_failed` for a sender that does not exist */
export function checkSender(
  name: string,
  custom: CustomSenders,
  valueLocation: Omit<ValueLocation, 'toHint'>,
): void {
  const names = [...senderNames, ...Object.keys(custom)];
  if (names.includes(name)) return;
  throw invalidValueError(name, `one of ${names.join(', ')}`, {
    ...valueLocation,
    toHint: (expected) =>
      suggestMatch(name, names, (match) => JSON.stringify(match)) ??
      `Use ${expected}, or define a sender with this name in the field senders of svc.config.json.`,
  });
}

/** @param name one that {@link checkSender} accepts */
export function selectSender(name: string, custom: CustomSenders): WebhookSender {
  return custom[name] ?? senders[name as SenderName];
}
