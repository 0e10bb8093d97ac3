/** Creates values for tests from schemas. */
import * as v from 'valibot';
import { Explanation } from '../../src/operations/explanation-schemas.ts';

/**
 * A value that is valid by `schema`: the last example in it or, without one, the first choice. An object has its optional fields
 * only if they have an example of their own.
 */
export function createExample<Schema extends v.GenericSchema>(schema: Schema): v.InferInput<Schema> {
  return toExample(schema);
}

function toExample(schema: v.GenericSchema): unknown {
  const example = v.getExamples(schema).at(-1);
  if (example !== undefined) return example;
  const { type, options, literal, item, wrapped, entries } = schema as Partial<SchemaParts>;
  switch (type) {
    case 'boolean':
      return false;
    case 'string':
      return 'text';
    case 'number':
      return 1;
    case 'literal':
      return literal;
    case 'picklist':
      return options?.[0];
    case 'variant':
      return toExample(options?.[0] as v.GenericSchema);
    case 'array':
      return item && [toExample(item)];
    case 'nullable':
    case 'optional':
      return wrapped && toExample(wrapped);
    case 'object':
    case 'strict_object':
      return Object.fromEntries(
        Object.entries(entries ?? {})
          .filter(([, field]) => field.type !== 'optional' || v.getExamples(field).length > 0)
          .map(([name, field]) => [name, toExample(field)]),
      );
    default:
      throw new TypeError(`A schema of the type ${type} has no example.`);
  }
}

/** What the schemas of the different types consist of. */
interface SchemaParts {
  readonly type: string;
  readonly options: readonly unknown[];
  readonly literal: unknown;
  readonly item: v.GenericSchema;
  readonly wrapped: v.GenericSchema;
  readonly entries: v.ObjectEntries;
}

const example = createExample(Explanation);
const { delivery } = example;

/** A delivery whose first attempt the receiver refused with 503. */
export const exampleExplanation: Explanation = {
  ...example,
  delivery: {
    ...delivery,
    last_attempt: {
      number: 1,
      duration_ms: 12,
      outcome: 'http_error',
      response_status: 503,
      error: 'the receiver responded with 503 Service Unavailable',
    },
    next_attempt_at: '2026-11-20T12:05:00.000Z',
  },
  cause: 'receiver_error',
  layer: null,
  detail: 'Your receiver returned 503.',
  mistake: null,
  finding: null,
  evidence: [],
  steps: null,
  hints: [
    { text: 'Read the response and the log of the receiver to find the error.' },
    { text: 'Replay the delivery', command: `svc deliveries replay ${delivery.id} --wait` },
  ],
};
