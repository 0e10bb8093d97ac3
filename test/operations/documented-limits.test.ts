/**
 * Checks that each limit in the OpenAPI documents is the one that is applied: values within it are accepted, and values beyond it are
 * rejected. The documents are made from the schemas that validate, so this proves the conversion, not that the limits are right.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/operations/control-operations.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createPublicOperations } from '../../src/operations/public-operations.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { listProblems } from '../../src/resources/validate.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

/** The keywords of JSON Schema that the documents use for limits. */
interface Schema {
  readonly type?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: Schema;
}

/** A field of the input of an operation. */
interface Field {
  readonly operation: Operation;
  readonly name: string;
  readonly schema: Schema;
  /** Whether the field is in the query, where every value is text. */
  readonly isText: boolean;
}

const fields: Field[] = [];
const publicOperations = createPublicOperations({
  rules: resolveRules('relaxed', {}, 'sandbox'),
  environment: 'sandbox',
  eventTypes: new Set(),
});

beforeAll(async () => {
  await using emulator = await startTestEmulator();
  for (const [path, operations] of [
    ['/openapi.json', publicOperations],
    ['/_svc/openapi.json', controlOperations],
  ] as const) {
    const document = JSON.parse(await (await fetch(emulator.status().url + path)).text());
    for (const operation of Object.values<Operation>(operations)) {
      fields.push(...listFields(operation, document.paths[operation.path][operation.method.toLowerCase()]));
    }
  }
});

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
function listFields(operation: Operation, { parameters = [], requestBody }: any): Field[] {
  const body: Record<string, Schema> = requestBody?.content['application/json'].schema.properties ?? {};
  return [
    ...parameters
      .filter((parameter: { readonly in: string }) => parameter.in === 'query')
      .map(({ name, schema }: { name: string; schema: Schema }) => ({
        operation,
        name,
        schema,
        isText: true,
      })),
    ...Object.entries(body).map(([name, schema]) => ({ operation, name, schema, isText: false })),
  ];
}

function isAccepted({ operation, name, isText }: Field, value: unknown): boolean {
  const input = { [name]: isText ? String(value) : value };
  // Fields that are missing are other problems.
  return !listProblems(operation.input, input).some(({ path }) => path.split(/[.[]/)[0] === name);
}

const describeField = ({ operation: { method, path }, name }: Field) => `${name} of ${method} ${path}`;

/** Checks a property for each field that has one of the keywords. @returns the number of these fields */
function forEachFieldWith(
  keywords: readonly (keyof Schema)[],
  check: (field: Field, schema: Schema) => void,
): number {
  const limited = fields.filter(({ schema }) => keywords.some((keyword) => schema[keyword] !== undefined));
  for (const field of limited) check(field, field.schema);
  return limited.length;
}

/** Checks that each of the values is accepted, or rejected. */
function expectEach(field: Field, values: readonly unknown[], expected: boolean): void {
  for (const value of values) {
    expect(isAccepted(field, value), `${JSON.stringify(value)} as ${describeField(field)}`).toBe(expected);
  }
}

/** Checks that random values are accepted, or rejected. */
function expectAll(field: Field, values: fc.Arbitrary<unknown>, expected: boolean): void {
  fc.assert(
    fc.property(values, (value) => expectEach(field, [value], expected)),
    { numRuns: 20 },
  );
}

/** Checks that both ends of a range and numbers between them are accepted. */
function expectRange(field: Field, min: number, max: number, toValue: (size: number) => unknown): void {
  expectEach(field, [toValue(min), toValue(max)], true);
  const between = fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
  expectAll(field, between.map(toValue), true);
}

describe('a limit that an OpenAPI document states', () => {
  it('a number is accepted from its minimum to its maximum, and rejected outside', () => {
    const count = forEachFieldWith(['minimum', 'maximum'], (field, schema) => {
      const { minimum = 0, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER, type } = schema;
      const smallest = exclusiveMinimum === undefined ? minimum : Number.EPSILON;
      // In a query, a number has at most 15 digits, so that none is lost.
      const largest = field.isText ? Math.min(maximum, 999_999_999_999_999) : maximum;
      expectRange(field, smallest, largest, (size) => size);
      const step = type === 'integer' ? 1 : Number.EPSILON;
      const tooSmall = [exclusiveMinimum ?? minimum - step, -1, Number.MIN_SAFE_INTEGER];
      const tooLarge = [maximum + 1, maximum * 2];
      expectEach(field, [...tooSmall, ...tooLarge], false);
      if (type === 'integer') expectEach(field, [minimum + 0.5, 'many', ''], false);
    });
    expect(count).toBeGreaterThan(0);
  });

  it('a text is accepted up to its maximum length, and rejected beyond it', () => {
    const count = forEachFieldWith(['minLength', 'maxLength'], (field, schema) => {
      const { minLength = 1, maxLength = 10_000, pattern = '' } = schema;
      // An event type is the only text with a maximum length that is not free.
      const start = pattern.includes('\\.') ? 'a.' : '';
      const ofLength = (length: number) => start + 'b'.repeat(Math.max(0, length - start.length));
      expectRange(field, Math.max(minLength, start.length + 1), maxLength, ofLength);
      if (schema.maxLength !== undefined) {
        expectEach(field, [maxLength + 1, maxLength * 2].map(ofLength), false);
      }
      if (schema.minLength !== undefined) expectEach(field, [''], false);
    });
    expect(count).toBeGreaterThan(0);
  });

  it('a list is accepted with its minimum to its maximum number of items, and rejected otherwise', () => {
    const count = forEachFieldWith(['minItems', 'maxItems'], (field, schema) => {
      const { minItems = 0, maxItems } = schema;
      const ofLength = (length: number) => Array.from({ length }, (_, index) => `order.shipped_${index}`);
      if (field.name === 'events') expectRange(field, minItems, maxItems ?? 10, ofLength);
      if (minItems > 0) expectEach(field, [ofLength(minItems - 1)], false);
      if (maxItems !== undefined) expectEach(field, [ofLength(maxItems + 1)], false);
    });
    expect(count).toBeGreaterThan(0);
  });

  it('a text is accepted exactly if it matches its pattern', () => {
    const count = forEachFieldWith(['pattern'], (field, { pattern = '', minLength = 0, maxLength }) => {
      const expression = new RegExp(pattern, 'u');
      const fits = ({ length }: string) => length >= minLength && length <= (maxLength ?? 10_000);
      // fast-check cannot create texts for classes of characters. They are only about control characters.
      const matching = pattern.includes('\\p{') ? fc.constant('a') : fc.stringMatching(expression);
      expectAll(field, matching.filter(fits), true);
      const changed = matching.chain((text) => fc.constantFrom(`${text}\n`, `\0${text}`, text.slice(1)));
      const other = fc.oneof(fc.string(), changed).filter((text) => !expression.test(text));
      expectAll(field, other, false);
    });
    expect(count).toBeGreaterThan(0);
  });
});
