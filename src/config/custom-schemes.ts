/** Parses the custom signature schemes of the configuration file. */
import { basename } from 'node:path';
import { isObject } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { findSchemeProblem, type SchemeName, schemeNames, schemes } from '../domain/signature/schemes.ts';
import { SvcError } from '../errors.ts';
import {
  describePath,
  invalidValueError,
  toSnakeCase,
  unknownFieldError,
  type ValueLocation,
  type ValueSchema,
} from '../profile/value-schema.ts';

export type CustomSchemes = Readonly<Record<string, SignatureScheme>>;

const EXPECTED = 'an object that maps names to schemes';
const SCHEME_NAME = /^[a-z][a-z0-9-]*$/;
/** The gaps that define the scheme `svc`. */
const SVC_SCHEME_GAP = /^signature\.(?:content|algorithm|header|timestamp)$/;

export const customSchemes: ValueSchema<CustomSchemes> = {
  expected: EXPECTED,
  choices: [EXPECTED],
  parse(value, valueLocation) {
    if (!isObject(value)) throw invalidValueError(value, EXPECTED, valueLocation);
    const entries = Object.entries(value).map(([name, fileValue]) => [
      name,
      parseScheme(name, fileValue, valueLocation),
    ]);
    return Object.fromEntries(entries);
  },
};

/** Converts schemes to what the file would contain, with all fields. */
export function toFileSchemes(schemes: CustomSchemes): Readonly<Record<string, unknown>> {
  const entries = Object.entries(schemes).map(([name, { name: _, ...fields }]) => [
    name,
    toFileValue(fields),
  ]);
  return Object.fromEntries(entries);
}

function toFileValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => [toSnakeCase(name), toFileValue(field)]);
  return Object.fromEntries(entries);
}

/** The settings that select a scheme. */
interface SchemeSettings {
  /** The name of a built-in scheme, or of one in `schemes`. */
  readonly scheme: string;
  readonly schemes: CustomSchemes;
}

/** The name of the selected scheme if it is built in, otherwise the scheme. */
export function selectScheme({ scheme, schemes: custom }: SchemeSettings): SchemeName | SignatureScheme {
  // `checkScheme` has rejected other names.
  return custom[scheme] ?? (scheme as SchemeName);
}

/**
 * Checks the setting `scheme` against the other settings.
 * @param source where the setting comes from: a file with its path, an option or variable with its name, or `default`
 * @throws SvcError `validation_failed` for a scheme that does not exist, and for a file that selects another scheme but
 *   overrides gaps of `svc`: the overrides would have no effect.
 */
export function checkScheme(
  { scheme, schemes: custom, overrides }: SchemeSettings & { readonly overrides: object },
  source: { readonly kind: string; readonly name: string },
): void {
  const names = [...schemeNames, ...Object.keys(custom)];
  const valueLocation: ValueLocation = {
    ...(source.kind === 'file' ? { path: 'scheme', file: basename(source.name) } : { path: source.name }),
    toHint: (expected) =>
      suggestMatch(scheme, names, (name) => JSON.stringify(name)) ??
      `Use ${expected}, or define a scheme with this name in the field schemes of svc.config.json.`,
  };
  if (!names.includes(scheme)) throw invalidValueError(scheme, `one of ${names.join(', ')}`, valueLocation);
  const gapId = Object.keys(overrides).find((id) => SVC_SCHEME_GAP.test(id));
  if (source.kind !== 'file' || scheme === 'svc' || gapId === undefined) return;
  throw new SvcError(
    'validation_failed',
    `${describePath(valueLocation)} is ${JSON.stringify(scheme)}, but overrides[${JSON.stringify(gapId)}] changes the scheme "svc".`,
    {
      hint: 'Remove one of the two. The override applies only to the built-in scheme svc, not to a custom scheme.',
    },
  );
}

function parseScheme(name: string, fileValue: unknown, valueLocation: ValueLocation): SignatureScheme {
  if (!SCHEME_NAME.test(name) || Object.hasOwn(schemes, name)) {
    throw invalidValueError(
      name,
      'a lowercase name, such as "acme", that differs from the built-in schemes',
      {
        ...valueLocation,
        path: 'a scheme name',
      },
    );
  }
  const path = `${valueLocation.path}.${name}`;
  if (!isObject(fileValue)) throw invalidValueError(fileValue, 'an object', { ...valueLocation, path });
  const fields = addDefaults(fileValue, getDefaults(fileValue.key), { ...valueLocation, path });
  // Not yet checked.
  const scheme = { name, ...(fields as Omit<SignatureScheme, 'name'>) };
  const problem = findSchemeProblem(scheme);
  if (problem === null) return scheme;
  throw invalidValueError(toFileValue(problem.value), problem.expected, {
    ...valueLocation,
    path: `${path}.${toSnakeCase(problem.path)}`,
  });
}

/** The defaults for missing fields: those of the scheme `svc`, and a prefix for a key that is decoded. */
function getDefaults(key: unknown): object {
  const { name: _, ...svcFields } = schemes.svc;
  const { form = svcFields.key.form } = Object(key);
  return form === svcFields.key.form ? svcFields : { ...svcFields, key: { form, prefix: 'whsec_' } };
}

/** Renames the fields of the file to those of the library, and adds the missing ones from `defaults`, at any depth. */
function addDefaults(fileValue: unknown, defaults: object, valueLocation: ValueLocation): unknown {
  if (!isObject(fileValue)) return fileValue;
  const fieldNames = Object.keys(defaults).map(toSnakeCase);
  for (const name of Object.keys(fileValue)) {
    if (!fieldNames.includes(name)) throw unknownFieldError(name, fieldNames, describePath(valueLocation));
  }
  const entries = Object.entries(defaults).map(([name, defaultValue]: [string, unknown]) => {
    const fileName = toSnakeCase(name);
    if (!Object.hasOwn(fileValue, fileName)) return [name, defaultValue];
    const field = fileValue[fileName];
    if (!isObject(defaultValue)) return [name, field];
    const path = `${valueLocation.path}.${fileName}`;
    return [name, addDefaults(field, defaultValue, { ...valueLocation, path })];
  });
  return Object.fromEntries(entries);
}
