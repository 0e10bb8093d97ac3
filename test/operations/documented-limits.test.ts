/**
 * Checks that each limit in the OpenAPI documents is the one that is applied: values within it are accepted, and values beyond it are
 * rejected. The documents are made from the schemas that validate, so this proves the conversion, not that the limits are right.
 */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
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

/** Values that the limits of a field accept, and values that they reject. */
function listValues({ schema, isText }: Field): readonly [accepted: unknown[], rejected: unknown[]] {
  const { type, minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems, pattern } =
    schema;
  if (minimum !== undefined || exclusiveMinimum !== undefined || maximum !== undefined) {
    const step = type === 'integer' ? 1 : Number.EPSILON;
    const smallest = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + step);
    // In a query, a number has at most 15 digits, so that none is lost.
    const largest = Math.min(
      maximum ?? Number.MAX_SAFE_INTEGER,
      isText ? 999_999_999_999_999 : Number.MAX_SAFE_INTEGER,
    );
    const rejected = [smallest - step, -1, ...(maximum === undefined ? [] : [maximum + 1])];
    return [[smallest, largest], type === 'integer' ? [...rejected, smallest + 0.5, 'many'] : rejected];
  }
  if (minItems !== undefined || maxItems !== undefined) {
    const ofLength = (length: number) => Array.from({ length }, (_, index) => `order.shipped_${index}`);
    return [[], [...(minItems ? [[]] : []), ...(maxItems === undefined ? [] : [ofLength(maxItems + 1)])]];
  }
  // fast-check cannot create texts for classes of characters. They are only about control characters.
  if (pattern !== undefined && !pattern.includes('\\p{')) {
    const expression = new RegExp(pattern, 'u');
    const matching = fc
      .sample(fc.stringMatching(expression), 20)
      .filter(({ length }) => length <= (maxLength ?? 10_000));
    return [matching, matching.map((text) => `${text}\n`).filter((text) => !expression.test(text))];
  }
  const isShort = minLength === undefined ? [] : [''];
  return maxLength === undefined
    ? [[], isShort]
    : [['b'.repeat(maxLength)], [...isShort, 'b'.repeat(maxLength + 1)]];
}

it('a limit that an OpenAPI document states is the one that is applied', () => {
  expect(fields.length).toBeGreaterThan(50);
  for (const field of fields) {
    const [accepted, rejected] = listValues(field);
    for (const [values, expected] of [
      [accepted, true],
      [rejected, false],
    ] as const)
      for (const value of values)
        expect(isAccepted(field, value), `${JSON.stringify(value)} as ${describeField(field)}`).toBe(
          expected,
        );
  }
});
