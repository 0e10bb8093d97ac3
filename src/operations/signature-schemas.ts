/** Schemas that explain and verify signatures. */
import * as v from 'valibot';
import { Count, described, Headers, resource } from '../resources/values.ts';
import { schemeField, Verification } from '../resources/verification.ts';
import { signedParts } from '../signature/scheme.ts';

export const SignatureDetail = resource('How an attempt was signed.', {
  ...schemeField,
  attempt: described('Number of the attempt.', Count),
  headers: described('Headers of the attempt that belong to the signature scheme.', Headers),
  signed_parts: described(
    'Parts of the signed text, in order.',
    v.array(
      v.object({
        part: described(
          'What the part contains. `literal` is constant text, such as a separator.',
          v.picklist(signedParts),
        ),
        text: described('Text of the part.', v.string()),
      }),
    ),
  ),
  secrets: described(
    'Secrets of the endpoint.',
    v.array(
      v.object({
        name: described(
          '`current`, or `previous` for the secret that was replaced by a rotation.',
          v.picklist(['current', 'previous']),
        ),
        masked: described('The secret, with most of its characters hidden.', v.string()),
        signature: described('Signature that this secret produces.', v.string()),
        matches: described('Whether the signature header contains this signature.', v.boolean()),
      }),
    ),
  ),
  verification: described(
    'Result of verifying the signature with the correct secret. `null` if the secret or the signature scheme no longer exists.',
    v.nullable(Verification),
  ),
});

export type SignatureDetail = v.InferOutput<typeof SignatureDetail>;
