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
import { expecting, wholeNumberFrom } from '../validation/value-schemas.ts';
import { withDurationTexts } from './duration-text.ts';
import { Count, described, EventType, idOf, resource, Timestamp } from './fields.ts';
import { publicRoutes } from './public-routes.ts';

const faultKinds = v.picklist([...requestFaultKinds, ...deliveryFaultKinds]);

export const FaultMark = resource('An injected fault that was applied to a request or an attempt.', {
  id: described('ID of the fault.', idOf('fault')),
  kind: described('Kind of fault.', faultKinds),
});
/** The field that requests and attempts have for it. */
export const faultField = {
  fault: described('Injected fault that was applied. Omitted without one.', v.optional(FaultMark)),
};

/** What a fault applies to and what it does, without the checks of {@link NewFaultInput}. A missing field does not restrict it. */
export const NewFault = v.strictObject({
  on: described(
    '`request` to apply the fault to requests to `/v1`, or `delivery` to apply it to deliveries.',
    v.picklist(faultTargets),
    'delivery',
  ),
  /** For requests: the workspace of the API key. */
  workspace_id: described(
    'ID of the workspace that the fault is restricted to (default: all workspaces).',
    v.optional(idOf('workspace')),
  ),
  method: described('For requests: HTTP method to match.', v.optional(v.pipe(v.string(), v.toUpperCase()))),
  path: described(
    'For requests: path to match, such as `/events/{id}`. The segments `*` and `{id}` match any segment.',
    v.optional(expecting('a path that starts with /', v.pipe(v.string(), v.startsWith('/')))),
  ),
  api_key_id: described('For requests: ID of the API key to match.', v.optional(idOf('apiKey'))),
  status: described(
    'For requests: status of the response. For deliveries: status of the kind `error-response` (default: 503).',
    v.optional(wholeNumberFrom(400, 599)),
  ),
  error_code: described(
    'For requests: error code of the response (default: the code that belongs to `status`).',
    v.optional(
      expecting(
        'lowercase letters, digits and underscores, such as rate_limited',
        v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,63}$/)),
      ),
    ),
  ),
  latency_ms: described(
    'For requests: real time to wait before the response, in milliseconds.',
    v.optional(wholeNumberFrom(1, MAX_LATENCY_MS)),
  ),
  drop: described(
    'For requests: close the connection without a response, either `before` or `after` the operation runs.',
    v.optional(v.picklist(requestDrops)),
  ),
  kind: described(
    'For deliveries: what happens to the attempt.',
    v.optional(v.picklist(deliveryFaultKinds)),
    'duplicate',
  ),
  webhook_id: described('For deliveries: ID of the endpoint to match.', v.optional(idOf('webhook'))),
  type: described('For deliveries: event type to match.', v.optional(EventType)),
  delay_ms: described(
    'For deliveries: how long to delay the delivery in schedule time (`delay`, and at most this long for `reorder`; default: 60000), or how long to take to send the body in real time (`slow-body`, default: 5000), in milliseconds.',
    v.optional(wholeNumberFrom(1, MAX_DELAY_MS)),
  ),
  probability: described(
    'Probability that the fault is applied to a matching request or attempt: greater than 0, and at most 1.',
    v.optional(
      expecting('a number above 0 and at most 1', v.pipe(v.number(), v.gtValue(0), v.maxValue(1))),
      1,
    ),
  ),
  count: described(
    'Maximum number of times to apply the fault (default: no limit).',
    v.optional(wholeNumberFrom(1)),
    1,
  ),
});

/** Checks that the fields do not contradict each other, and that a request to the API can match the method and the path. */
function checkNewFault(getFieldName: (field: keyof FaultRule) => string = (field) => field) {
  return v.rawCheck<v.InferOutput<typeof NewFault>>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const contradiction = findFaultProblem(value, getFieldName);
    const found = contradiction ?? findRouteProblem(value, Object.values(publicRoutes));
    if (found === null) return;
    const { field: key } = found;
    addIssue({
      ...('expected' in found ? { expected: found.expected, input: value[key] } : { message: found.problem }),
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

export const Fault = resource('An injected fault.', {
  id: described('ID of the fault.', idOf('fault')),
  ...NewFault.entries,
  probability: described('Probability that a matching request or attempt gets the fault.', v.number(), 1),
  fired: described('Number of times that the fault has been applied.', Count),
  created_at: described('Wall time at which the fault was added.', Timestamp),
});

export type Fault = v.InferOutput<typeof Fault>;
