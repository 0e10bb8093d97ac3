/** Faults: what is ordered, what it touches, and the mark that it leaves. */
import * as v from 'valibot';
import { DAY_MS } from '../domain/duration.ts';
import {
  deliveryFaultKinds,
  type FaultRule,
  faultTargets,
  findFaultProblem,
  findRouteProblem,
  requestDrops,
  requestFaultKinds,
} from '../domain/fault.ts';
import { Count, EventType, idOf, Timestamp } from './fields.ts';
import { wholeNumber } from './operation.ts';
import { publicRoutes } from './public-routes.ts';

const faultKinds = v.picklist([...requestFaultKinds, ...deliveryFaultKinds]);

/** The fault that touched a request or an attempt. */
export const FaultMark = v.object({ id: idOf('fault'), kind: faultKinds });
/** Absent where no fault touched it. */
export const faultField = { fault: v.optional(FaultMark) };

const PROBABILITY = 'must be above 0 and at most 1';
/** A timer of Node.js cannot wait for a month; nobody waits for an answer longer than this. */
const MAX_LATENCY_MS = DAY_MS;
const MAX_DELAY_MS = 30 * DAY_MS;

/** What a fault is restricted to and what it does, each left out where it is not meant. */
export const NewFault = v.strictObject({
  on: v.picklist(faultTargets),
  /** Only in this workspace: for requests, that of their key. */
  workspace_id: v.optional(idOf('workspace')),
  method: v.optional(v.pipe(v.string(), v.toUpperCase())),
  /** A path of the API; a segment `*` or `{id}` stands for any one. */
  path: v.optional(v.pipe(v.string(), v.startsWith('/', 'must start with /'))),
  api_key_id: v.optional(idOf('apiKey')),
  status: v.optional(wholeNumber(400, 599)),
  error_code: v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be like rate_limited'))),
  /** Real time before the request is looked at any further. */
  latency_ms: v.optional(wholeNumber(1, MAX_LATENCY_MS)),
  /** Gives no answer: `before` the operation is done, or `after` it. */
  drop: v.optional(v.picklist(requestDrops)),
  /** What becomes of a delivery. */
  kind: v.optional(v.picklist(deliveryFaultKinds)),
  webhook_id: v.optional(idOf('webhook')),
  type: v.optional(EventType),
  /** For `delay` and, at most, `reorder`: schedule time. For `slow-body`: real time. */
  delay_ms: v.optional(wholeNumber(1, MAX_DELAY_MS)),
  probability: v.optional(v.pipe(v.number(), v.gtValue(0, PROBABILITY), v.maxValue(1, PROBABILITY)), 1),
  /** How often it fires; without it, until it is cleared. */
  count: v.optional(wholeNumber(1)),
});

/** Its members go together, and the API has what it is to meet. */
function checkNewFault(nameOf: (member: keyof FaultRule) => string = (member) => member) {
  return v.rawCheck<v.InferOutput<typeof NewFault>>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const found = findFaultProblem(value, nameOf) ?? findRouteProblem(value, Object.values(publicRoutes));
    if (found === null) return;
    const { field: key, problem: message } = found;
    addIssue({
      message,
      path: [{ type: 'object', origin: 'value', input: value as never, key, value: null }],
    });
  });
}

/** @param nameOf what problems call a member. */
export function createNewFaultSchema(nameOf?: (member: keyof FaultRule) => string) {
  return v.pipe(NewFault, checkNewFault(nameOf));
}

export const NewFaultInput = createNewFaultSchema();

/** A fault that is written down where it is to be: in a workspace of a seed, or in all. Keys have no ids there. */
export const SeedFault = v.pipe(v.omit(NewFault, ['workspace_id', 'api_key_id']), checkNewFault());

export const Fault = v.object({
  id: idOf('fault'),
  ...NewFault.entries,
  probability: v.number(),
  /** How often it has fired. */
  fired: Count,
  created_at: Timestamp,
});

export type Fault = v.InferOutput<typeof Fault>;
