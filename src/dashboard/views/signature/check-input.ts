/** The input of a signature check: what the user changes, and the request to the control plane. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import { MINUTE_MS } from '../../../domain/duration.ts';

/** Values as the user typed them; empty means unchanged. */
export interface CheckInput {
  readonly secret: string;
  /** Null for the original body. */
  readonly body: string | null;
  /** Minutes after the attempt was sent. */
  readonly minutesLater: string;
  readonly toleranceMinutes: string;
  /** The digest that the receiver computed. */
  readonly computed: string;
}

export const unchangedInput: CheckInput = {
  secret: '',
  body: null,
  minutesLater: '',
  toleranceMinutes: '',
  computed: '',
};

/** `sentAt` is the wall time of the attempt. Invalid numbers are ignored. */
export function toCheckRequest(
  { secret, body, minutesLater, toleranceMinutes, computed }: CheckInput,
  { id, attempt, sentAt }: { readonly id: string; readonly attempt: number; readonly sentAt: string },
): ControlInput<'verifyDelivery'> {
  const later = toMs(minutesLater);
  const tolerance = toMs(toleranceMinutes);
  return {
    id,
    attempt,
    ...(secret !== '' && { secrets: [secret] }),
    ...(body !== null && { payload_base64: toBase64(body) }),
    ...(later !== null && { now: new Date(Date.parse(sentAt) + later).toISOString() }),
    ...(tolerance !== null && tolerance >= 0 && { tolerance_ms: tolerance }),
    ...(computed.trim() !== '' && { computed: computed.trim() }),
  };
}

/** Common mistakes of receivers, to try with one click. */
export const mistakes: readonly {
  readonly name: string;
  readonly change: (body: string) => Partial<CheckInput>;
}[] = [
  { name: 'Wrong secret', change: () => ({ secret: 'whsec_of_another_endpoint' }) },
  { name: 'Body parsed and serialized again', change: (body) => ({ body: serializeAgain(body) }) },
  { name: 'Pretty-printed body', change: (body) => ({ body: serializeAgain(body, 2) }) },
  { name: 'Line break added', change: (body) => ({ body: `${body}\n` }) },
  { name: 'One character changed', change: (body) => ({ body: changeLastCharacter(body) }) },
  { name: 'Ten minutes late', change: () => ({ minutesLater: '10' }) },
];

/** About 190 years. A `Date` can represent every time that is at most this far away. */
const MAX_MINUTES = 1e8;

function toMs(minutes: string): number | null {
  const number = Number(minutes);
  const isNumber = minutes.trim() !== '' && Math.abs(number) <= MAX_MINUTES;
  return isNumber ? Math.round(number * MINUTE_MS) : null;
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

/** Unchanged if it is not JSON. */
function serializeAgain(body: string, indent?: number): string {
  try {
    return JSON.stringify(JSON.parse(body), null, indent);
  } catch {
    return body;
  }
}

/** Changes the last letter or digit, so that JSON usually stays valid. */
function changeLastCharacter(body: string): string {
  return body.replace(/[a-z0-9](?=[^a-z0-9]*$)/i, (last) => (last === 'x' ? 'y' : 'x'));
}
