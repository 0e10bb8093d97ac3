/** Schemas of error responses. */
import * as v from 'valibot';
import { described, Hint, idOf } from '../resources/values.ts';

const errorFields = {
  code: described('Machine-readable error code.', v.string()),
  message: described('Human-readable description of the error.', v.string()),
  request_id: described('ID of the request. The `Request-Id` header contains the same ID.', idOf('request')),
};

export const ErrorBody = described(
  'An error response.',
  v.strictObject({ error: described('The error.', v.strictObject(errorFields)) }),
);

export const ControlErrorBody = described(
  'An error response of the control plane.',
  v.strictObject({
    error: described(
      'The error.',
      v.strictObject({
        ...errorFields,
        field: described('Path of the invalid field. Omitted for other errors.', v.optional(v.string())),
        hint: v.optional(Hint),
      }),
    ),
  }),
);

export type ErrorBody = v.InferOutput<typeof ErrorBody>;
export type ControlErrorBody = v.InferOutput<typeof ControlErrorBody>;
