/** Operations for the request log. */
import * as v from 'valibot';
import { PageFields, RequestFilter } from '../list-filters.ts';
import { defineOperations } from '../operation.ts';
import { ApiRequest, pageOf } from '../resources.ts';

export const requestOperations = defineOperations({
  listRequests: {
    method: 'GET',
    path: '/requests',
    input: v.strictObject({ ...PageFields, ...RequestFilter }),
    output: pageOf(ApiRequest),
    status: 200,
  },
});
