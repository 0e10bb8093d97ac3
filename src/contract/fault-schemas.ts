/** Schemas of faults, and of the reference to a fault in requests and attempts that it was applied to. */
import * as v from 'valibot';
import {
  deliveryFaultKinds,
  type FaultRule,
  faultTargets,
  findFaultProblem,
  findRouteProblem,
  MAX_DELAY_MS,
  MAX_LATENCY_MS,
  requestDrops,
  requestFaultKinds,
} from '../domain/fault.ts';
import { withDurationTexts } from './duration-text.ts';
import { Count, EventType, idOf, Timestamp } from './fields.ts';
import { wholeNumberFrom } from './operation.ts';
import { publicRoutes } from './public-routes.ts';

const faultKinds = v.picklist([...requestFaultKinds, ...deliveryFaultKinds]);

/** The fault that was applied to a request or an attempt. */
export const FaultMark = v.object({ id: idOf('fault'), kind: faultKinds });
/** The field that requests and attempts have for it. */
export const faultField = { fault: v.optional(FaultMark) };

const PROBABILITY_MESSAGE = 'must be above 0 and at most 1';

/**
 * What a fault applies to and what it does, without the checks of {@link NewFaultInput}. A missing field does not restrict it.
 * `openapi-schema-texts.ts` describes each field.
 */
export const NewFault = v.strictObject({
  on: v.picklist(faultTargets),
  /** For requests: the workspace of the API key. */
  workspace_id: v.optional(idOf('workspace')),
  method: v.optional(v.pipe(v.string(), v.toUpperCase())),
  /** The segments `*` and `{id}` match any segment. */
  path: v.optional(v.pipe(v.string(), v.startsWith('/', 'must start with /'))),
  api_key_id: v.optional(idOf('apiKey')),
  status: v.optional(wholeNumberFrom(400, 599)),
  error_code: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[a-z][a-z0-9_]{0,63}$/,
        'must be lowercase letters, digits and underscores, such as rate_limited',
      ),
    ),
  ),
  latency_ms: v.optional(wholeNumberFrom(1, MAX_LATENCY_MS)),
  drop: v.optional(v.picklist(requestDrops)),
  kind: v.optional(v.picklist(deliveryFaultKinds)),
  webhook_id: v.optional(idOf('webhook')),
  type: v.optional(EventType),
  delay_ms: v.optional(wholeNumberFrom(1, MAX_DELAY_MS)),
  probability: v.optional(
    v.pipe(v.number(), v.gtValue(0, PROBABILITY_MESSAGE), v.maxValue(1, PROBABILITY_MESSAGE)),
    1,
  ),
  count: v.optional(wholeNumberFrom(1)),
});

/** Checks that the fields do not contradict each other, and that a request to the API can match the method and the path. */
function checkNewFault(getFieldName: (field: keyof FaultRule) => string = (field) => field) {
  return v.rawCheck<v.InferOutput<typeof NewFault>>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const problem =
      findFaultProblem(value, getFieldName) ?? findRouteProblem(value, Object.values(publicRoutes));
    if (problem === null) return;
    const { field: key, problem: message } = problem;
    addIssue({
      message,
      path: [{ type: 'object', origin: 'value', input: { ...value }, key, value: value[key] }],
    });
  });
}

/** @param getFieldName returns the name of a field for messages, such as an option of `svc faults add` */
export function createNewFaultSchema(getFieldName: (field: keyof FaultRule) => string) {
  return v.pipe(NewFault, checkNewFault(getFieldName));
}

const durationNames = { latency: 'latency_ms', delay: 'delay_ms' } as const;

export const NewFaultInput = v.pipe(withDurationTexts(NewFault.entries, durationNames), checkNewFault());

/** A fault in a seed. Its position decides the workspace, and API keys of a seed have no IDs. */
export const SeedFault = v.pipe(
  withDurationTexts(v.omit(NewFault, ['workspace_id', 'api_key_id']).entries, durationNames),
  checkNewFault(),
);

export const Fault = v.object({
  id: idOf('fault'),
  ...NewFault.entries,
  probability: v.number(),
  fired: Count,
  created_at: Timestamp,
});

export type Fault = v.InferOutput<typeof Fault>;
