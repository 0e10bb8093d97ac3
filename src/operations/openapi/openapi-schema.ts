/** Converts schemas to the JSON Schema of the OpenAPI documents. */
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import * as attempts from '../../resources/attempt.ts';
import * as deliveries from '../../resources/delivery.ts';
import * as endpoints from '../../resources/endpoint.ts';
import * as events from '../../resources/event.ts';
import * as faults from '../../resources/fault.ts';
import * as keys from '../../resources/key.ts';
import * as requests from '../../resources/request.ts';
import { MILLISECONDS, WholeNumber } from '../../resources/value-schemas.ts';
import { JsonObject } from '../../resources/values.ts';
import * as verification from '../../resources/verification.ts';
import * as workspaces from '../../resources/workspace.ts';
import * as connections from '../connection-schemas.ts';
import * as emulator from '../emulator-schemas.ts';
import * as errors from '../error-schemas.ts';
import { Explanation } from '../explanation-schemas.ts';
import * as fixtures from '../fixture-summaries.ts';
import * as overview from '../overview-schemas.ts';
import * as signatures from '../signature-schemas.ts';
import { StreamItem } from '../stream-schemas.ts';
import { WaitReport } from '../wait-schemas.ts';

type Json = Record<string, unknown>;

/** The schemas that become components, with their names: all objects and variants that these modules export. */
export const namedSchemas = Object.fromEntries(
  Object.entries({
    ...workspaces,
    ...keys,
    ...events,
    ...endpoints,
    ...deliveries,
    ...attempts,
    ...verification,
    ...requests,
    ...faults,
    ...errors,
    ...connections,
    ...signatures,
    ...fixtures,
    ...overview,
    ...emulator,
    Explanation,
    StreamItem,
    WaitReport,
  }).filter(([, value]) => isSchema(value) && v.getDescription(value) !== undefined),
) as unknown as Readonly<Record<string, v.SchemaWithPipe<readonly [v.GenericSchema, v.GenericMetadata]>>>;
function isSchema(value: unknown): value is v.GenericSchema {
  return (value as Partial<v.GenericSchema> | null)?.kind === 'schema';
}

/** By the schema without its description. */
export const schemaNames = new Map(
  Object.entries(namedSchemas).map(([name, { pipe }]) => [pipe[0], name] as const),
);
const schemaDescriptions = new Set<unknown>(Object.values(namedSchemas).map(({ pipe }) => pipe[1]));

/**
 * Converts a schema to JSON Schema. Checks without an equivalent there, for example of addresses, are omitted; the validator
 * still makes them. If an equivalent exists for a `v.check`, the schema has it in `v.metadata({ jsonSchema: … })`.
 * @param replace returns the JSON Schema for an inner schema; undefined to convert it
 */
export function toSchema(
  schema: v.GenericSchema,
  replace: (inner: v.GenericSchema) => Json | undefined = () => undefined,
): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    errorMode: 'ignore',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema }) => {
      if (valibotSchema === JsonObject) return { type: 'object', additionalProperties: true };
      if (valibotSchema === WholeNumber) return { type: 'integer' };
      if ('expects' in valibotSchema && valibotSchema.expects === MILLISECONDS)
        return { type: ['integer', 'string'] };
      return replace(valibotSchema as v.GenericSchema);
    },
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const { metadata = {} } = valibotAction as { metadata?: { jsonSchema?: Json } };
      // The metadata `jsonSchema` becomes a property of that name. Its content belongs in the schema instead.
      const { jsonSchema: _, ...others } = jsonSchema as Json;
      // The description of a reference is that of the field. The one of the resource is in the component.
      return schemaDescriptions.has(valibotAction) && jsonSchema.$ref
        ? { $ref: jsonSchema.$ref }
        : { ...others, ...metadata.jsonSchema };
    },
  }) as Json;
  return rest;
}
