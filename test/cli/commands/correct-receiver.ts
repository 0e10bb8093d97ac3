import { verify } from '../../../src/signature.ts';
import type { ReceivedRequest } from '../../support/test-receiver.ts';
import { NOW } from '../fake-context.ts';

/** The secret of the receivers in tests of `svc receiver`. */
export const secret = 'whsec_a';

/** Responds like a correct receiver, by the clock of the context. */
export function respondTo({ headers, body }: ReceivedRequest) {
  const get = (name: string) => headers[name] as string | undefined;
  const [signature, timestamp] = [get('service-signature'), get('service-timestamp')];
  const { ok } = verify({ secret, now: NOW, payload: body, signature, timestamp });
  return { status: ok ? 204 : 400 };
}
