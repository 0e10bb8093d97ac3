/** Schemas of faults, and of the reference to a fault in requests and attempts that it was applied to. */
import * as v from 'valibot';
import { deliveryFaultKinds, requestFaultKinds } from '../domain/fault.ts';
import { withDurationTexts } from './duration-text.ts';
import { type FaultRule, faultFields, findFaultProblem, findRouteProblem } from './fault-rule.ts';
import { Count, described, idOf, resource, Timestamp } from './fields.ts';
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

/** Checks that the fields do not contradict each other, and that a request to the API can match the method and the path. */
function checkNewFault(getFieldName: (field: keyof FaultRule) => string = (field) => field) {
  return v.rawCheck<FaultRule>(({ dataset, addIssue }) => {
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
  return v.pipe(v.strictObject(faultFields), checkNewFault(getFieldName));
}

const durationNames = { latency: 'latency_ms', delay: 'delay_ms' } as const;

export const NewFaultInput = v.pipe(withDurationTexts(faultFields, durationNames), checkNewFault());

/** A fault in a seed. Its position decides the workspace, and API keys of a seed have no IDs. */
export const SeedFault = v.pipe(
  withDurationTexts(v.omit(v.object(faultFields), ['workspace_id', 'api_key_id']).entries, durationNames),
  checkNewFault(),
);

export const Fault = resource('An injected fault.', {
  id: described('ID of the fault.', idOf('fault')),
  ...faultFields,
  probability: described('Probability that a matching request or attempt gets the fault.', v.number(), 1),
  applied_count: described('Number of times that the fault has been applied.', Count),
  created_at: described('Wall time at which the fault was added.', Timestamp),
});

export type Fault = v.InferOutput<typeof Fault>;
