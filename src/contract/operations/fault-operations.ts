/** Operations for faults. */
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
    input: NewFaultInput,
    output: Fault,
    status: 201,
    errors: ['validation_failed'],
  },
  listFaults: {
    method: 'GET',
    path: '/faults',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(Fault),
    status: 200,
  },
  clearFaults: {
    method: 'POST',
    path: '/faults/clear',
    input: v.strictObject({ ...WorkspaceFilter, id: v.optional(idOf('fault')) }),
    output: v.object({ cleared: v.number() }),
    status: 200,
  },
});
