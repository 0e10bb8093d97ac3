/** Faults. */
import * as v from 'valibot';
import { Fault, NewFaultInput } from '../fault-schemas.ts';
import { idOf } from '../fields.ts';
import { PageFields, WorkspaceFilter } from '../list-filters.ts';
import { defineOperations } from '../operation.ts';
import { pageOf } from '../resources.ts';

export const faultOperations = defineOperations({
  addFault: {
    method: 'POST',
    path: '/faults',
    summary: 'Order a fault on requests to /v1 or on deliveries; the oldest that is met fires',
    input: NewFaultInput,
    output: Fault,
    status: 201,
    errors: ['validation_failed'],
  },
  listFaults: {
    method: 'GET',
    path: '/faults',
    summary: 'List faults, newest first, with how often each has fired',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(Fault),
    status: 200,
  },
  clearFaults: {
    method: 'POST',
    path: '/faults/clear',
    summary: 'Remove a fault, those of a workspace, or all',
    input: v.strictObject({ ...WorkspaceFilter, id: v.optional(idOf('fault')) }),
    output: v.object({ cleared: v.number() }),
    status: 200,
  },
});
