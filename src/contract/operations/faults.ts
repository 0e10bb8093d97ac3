/** Faults. */
import * as v from 'valibot';
import { Fault, PossibleFault } from '../faults.ts';
import { idOf } from '../fields.ts';
import { ofWorkspace, page } from '../filters.ts';
import { defineOperations } from '../operation.ts';
import { pageOf } from '../resources.ts';

export const faultOperations = defineOperations({
  addFault: {
    method: 'POST',
    path: '/faults',
    summary: 'Order a fault on requests to /v1 or on deliveries; the oldest that is met fires',
    input: PossibleFault,
    output: Fault,
    status: 201,
    errors: ['validation_failed'],
  },
  listFaults: {
    method: 'GET',
    path: '/faults',
    summary: 'List faults, newest first, with how often each has fired',
    input: v.strictObject({ ...page, ...ofWorkspace }),
    output: pageOf(Fault),
    status: 200,
  },
  clearFaults: {
    method: 'POST',
    path: '/faults/clear',
    summary: 'Remove a fault, those of a workspace, or all',
    input: v.strictObject({ ...ofWorkspace, id: v.optional(idOf('fault')) }),
    output: v.object({ cleared: v.number() }),
    status: 200,
  },
});
