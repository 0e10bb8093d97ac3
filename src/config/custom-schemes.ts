/** Parses the custom signature schemes of the configuration file. */
import { basename } from 'node:path';
import * as v from 'valibot';
import { isObject } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { invalidValueError, toSnakeCase, type ValueLocation } from '../resources/configured-value.ts';
import { accept } from '../resources/value-schemas.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { findSchemeProblem, type SchemeName, schemeNames, schemes } from '../signature/schemes.ts';

export type CustomSchemes = Readonly<Record<string, SignatureScheme>>;

const SCHEME_NAME = /^[a-z][a-z0-9-]*$/;

export const customSchemes = v.lazy((value): v.GenericSchema<unknown, CustomSchemes> => {
  if (!isObject(value)) return accept<CustomSchemes>('an object that maps names to schemes', () => false);
  return v.strictObject(Object.fromEntries(Object.keys(value).map((name) => [name, createSchema(name)])));
});

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
 * @throws SvcError `validation_failed` for a scheme that does not exist
 */
export function checkScheme(
  { scheme, schemes: custom }: SchemeSettings,
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
}

/** The schema of a scheme in the file. Its output is a scheme of the library. */
function createSchema(name: string): v.GenericSchema<unknown, SignatureScheme> {
  if (!SCHEME_NAME.test(name) || Object.hasOwn(schemes, name)) {
    const problem = 'must have a lowercase name, such as "acme", that differs from the built-in schemes';
    return v.custom<SignatureScheme>(() => false, problem);
  }
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
