/** Parses the custom signature schemes of the configuration file. */

import { basename } from 'node:path';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { findSchemeProblem } from '../domain/signature/scheme-check.ts';
import { type SchemeName, schemeNames, schemes } from '../domain/signature/schemes.ts';
import { suggestMatch } from '../domain/suggest-match.ts';
import { SvcError } from '../errors.ts';
import {
  invalidValueError,
  isObject,
  unknownKeyError,
  type ValueLocation,
  type ValueSchema,
} from '../profile/value-schema.ts';
import { toSnakeCase } from './snake-case.ts';

export type CustomSchemes = Readonly<Record<string, SignatureScheme>>;

const EXPECTED = 'an object of schemes by name';
/** The gaps that define the scheme `svc`. */
const SVC_ROW = /^signature\.(?:content|algorithm|header|timestamp)$/;
const NAME = /^[a-z][a-z0-9-]*$/;

const { name: _, ...own } = schemes.svc;

export const customSchemes: ValueSchema<CustomSchemes> = {
  expected: EXPECTED,
  choices: [EXPECTED],
  parse: (value, valueLocation) => {
    if (!isObject(value)) throw invalidValueError(value, EXPECTED, valueLocation);
    const parsed = Object.entries(value).map(([name, written]) => [
      name,
      toScheme(name, written, valueLocation),
    ]);
    return Object.fromEntries(parsed);
  },
};

/** Schemes as they are written in the file, with all fields. */
export function toWrittenSchemes(schemes: CustomSchemes): Readonly<Record<string, unknown>> {
  const written = Object.entries(schemes).map(([name, { name: _, ...members }]) => [
    name,
    toWritten(members),
  ]);
  return Object.fromEntries(written);
}

function toWritten(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inside]) => [toSnakeCase(member), toWritten(inside)]),
  );
}

/** The settings for signatures. */
export interface SchemeChoice {
  readonly scheme: string;
  readonly schemes: CustomSchemes;
}

/** The configured scheme: the name of a built-in one, or a custom scheme object. */
export function selectedScheme({ scheme, schemes: described }: SchemeChoice): SchemeName | SignatureScheme {
  return described[scheme] ?? (scheme as SchemeName);
}

/**
 * Checks the scheme against the other settings.
 * @throws SvcError `validation_failed` for a scheme that does not exist, and for a file that selects another scheme but
 *   overrides gaps of `svc`: the overrides would have no effect.
 */
export function checkScheme(
  { scheme, schemes: described, overrides }: SchemeChoice & { readonly overrides: object },
  source: { readonly kind: string; readonly name: string },
): void {
  const names = [...schemeNames, ...Object.keys(described)];
  const place = source.kind === 'file' ? `${basename(source.name)}: scheme` : source.name;
  if (!names.includes(scheme)) {
    throw new SvcError(
      'validation_failed',
      `${place} must be one of ${names.join(', ')}; not ${JSON.stringify(scheme)}.`,
      {
        hint:
          suggestMatch(scheme, names, (name) => JSON.stringify(name)) ??
          'Define your own scheme in schemes of svc.config.json.',
      },
    );
  }
  const row = Object.keys(overrides).find((id) => SVC_ROW.test(id));
  if (source.kind !== 'file' || scheme === 'svc' || row === undefined) return;
  throw new SvcError(
    'validation_failed',
    `${place} is ${JSON.stringify(scheme)}, but overrides[${JSON.stringify(row)}] changes the scheme "svc".`,
    {
      hint: 'Remove one of the two. A scheme in schemes defines its signatures completely.',
    },
  );
}

function toScheme(name: string, written: unknown, valueLocation: ValueLocation): SignatureScheme {
  const path = `${valueLocation.path}.${name}`;
  if (!NAME.test(name) || Object.hasOwn(schemes, name)) {
    throw invalidValueError(
      name,
      `a lowercase name such as "acme" that is not the name of a built-in scheme`,
      {
        ...valueLocation,
        path: `${valueLocation.path}: the name of a scheme`,
      },
    );
  }
  if (!isObject(written)) throw invalidValueError(written, 'an object', { ...valueLocation, path });
  const scheme = {
    name,
    ...(complete(written, defaultsFor(written.key), { ...valueLocation, path }) as Omit<
      SignatureScheme,
      'name'
    >),
  };
  const fault = findSchemeProblem(scheme);
  if (fault === null) return scheme;
  throw invalidValueError(toWritten(fault.value), fault.expected, {
    ...valueLocation,
    path: `${path}.${toSnakeCase(fault.path)}`,
  });
}

/** The defaults for missing fields: those of the scheme `svc`, and a prefix for a key that is decoded. */
function defaultsFor(key: unknown): object {
  const { form = own.key.form } = Object(key);
  return form === own.key.form ? own : { ...own, key: { form, prefix: 'whsec_' } };
}

/** The fields of `defaults` overwritten by the written ones, with the names of the library. */
function complete(written: unknown, defaults: object, valueLocation: ValueLocation): unknown {
  if (!isObject(written)) return written;
  const known = Object.keys(defaults).map(toSnakeCase);
  for (const key of Object.keys(written))
    if (!known.includes(key)) throw unknownKeyError(key, known, valueLocation);
  const members = Object.entries(defaults).map(([member, value]: [string, unknown]) => {
    const key = toSnakeCase(member);
    if (!Object.hasOwn(written, key)) return [member, value];
    const inside = { ...valueLocation, path: `${valueLocation.path}.${key}` };
    return [member, isObject(value) ? complete(written[key], value, inside) : written[key]];
  });
  return Object.fromEntries(members);
}
