/** The result of verifying a signature, which attempts contain. */
import * as v from 'valibot';
import { receiverReasons, refusalReasons } from '../signature/refusals.ts';
import { described, resource } from './values.ts';

/** The field of everything that one signature scheme decides. */
export const schemeField = {
  scheme: described({ summary: 'Name of the signature scheme' }, v.string(), 'svc'),
};

export const Verification = resource('Result of verifying a signature, as `svc verify` prints it.', {
  ok: described({ summary: 'Whether the signature is valid' }, v.boolean(), true),
  reason: described(
    { summary: 'Why the signature was rejected', detail: '`null` if it is valid' },
    v.nullable(v.picklist([...refusalReasons, ...receiverReasons])),
    null,
  ),
  detail: described(
    { summary: 'Explanation of the result' },
    v.string(),
    'The signature is valid, and its timestamp was 120ms old at 2026-11-20T23:06:00.120Z.',
  ),
  remedy: described(
    { summary: 'What to do next', detail: '`null` if the signature is valid' },
    v.nullable(v.string()),
    null,
  ),
  ...schemeField,
});
export type Verification = v.InferOutput<typeof Verification>;

/** The field of everything that has one attempt. */
export const verificationField = {
  verification: described(
    {
      summary: 'Result of verifying the signature with the correct secret',
      detail: '`null` if the secret or the signature scheme no longer exists',
    },
    v.nullable(Verification),
  ),
};
