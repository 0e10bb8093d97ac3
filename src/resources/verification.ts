/** The result of verifying a signature. */
import * as v from 'valibot';
import { receiverReasons, refusalReasons } from '../signature/refusals.ts';
import { described, resource } from './values.ts';

/** The field of everything that one signature scheme decides. */
export const schemeField = {
  scheme: described({ summary: 'Name of the signature scheme' }, v.string()),
};

export const Verification = resource('Result of verifying a signature, as `svc verify` prints it.', {
  ok: described({ summary: 'Whether the signature is valid' }, v.boolean()),
  reason: described(
    { summary: 'Why the signature was rejected', detail: '`null` if it is valid' },
    v.nullable(v.picklist([...refusalReasons, ...receiverReasons])),
  ),
  detail: described({ summary: 'Explanation of the result' }, v.string()),
  remedy: described(
    { summary: 'What to do next', detail: '`null` if the signature is valid' },
    v.nullable(v.string()),
  ),
  ...schemeField,
});
export type Verification = v.InferOutput<typeof Verification>;
