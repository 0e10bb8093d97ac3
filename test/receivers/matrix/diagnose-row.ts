/** What svc says about the receivers of the matrix, compared with what is known about them. */

import { layers } from '../../../src/diagnosis/layers.ts';
import { type SentenceName, say } from '../../../src/diagnosis/sentences.ts';
import type { Explanation } from '../../../src/operations/explanation-schemas.ts';
import type { TestEmulator } from '../../support/test-emulator.ts';
import type { Row } from './rows.ts';
import type { StartedRow } from './start-rows.ts';

/** `unknown`: svc says that it does not know. `false`: it names something else. */
export type Rating = 'named' | 'unknown' | 'false';

export interface Diagnosis {
  readonly cause: string;
  readonly rating: Rating;
}

export interface RowResult {
  readonly row: Row;
  readonly withoutProbe: Diagnosis;
  readonly withProbe: Diagnosis;
  readonly probed: Explanation;
}

/** Sends an event to the receiver, and explains its delivery, first without a probe. */
export async function diagnoseRow(
  emulator: TestEmulator,
  { row, url }: StartedRow,
  secret: string,
): Promise<RowResult> {
  const { control } = emulator;
  const type = 'order.paid';
  const { id } = await control.createWebhook({ url, events: [type], secret });
  try {
    const { json } = await emulator.api('POST', '/events', `{"type":"${type}","payload":${row.payload}}`);
    await control.advanceClock({ ms: 0 });
    const [delivery] = (await control.listDeliveries({ event_id: json.id })).data;
    if (delivery === undefined) throw new Error(`No delivery for ${row.framework}: ${row.mistake}`);
    const explanation = await control.explainDelivery({ id: delivery.id });
    const probed = await control.probeDelivery({ id: delivery.id });
    const [withoutProbe, withProbe] = [explanation, probed].map((one) => judge(row, one));
    return { row, withoutProbe, withProbe, probed } as RowResult;
  } finally {
    await control.deleteWebhook({ id });
  }
}

function judge({ expected }: Row, explanation: Explanation): Diagnosis {
  const cause = nameCause(explanation);
  if (expected.includes(cause)) return { cause, rating: 'named' };
  return { cause, rating: unknownCauses.includes(cause) ? 'unknown' : 'false' };
}

/** Only the receiver knows why, or svc says that its verification rejected the delivery without saying why. */
const unknownCauses = [
  ...['cause:rejected', 'cause:signature_rejected', 'cause:receiver_error'],
  'unknown secret or mistake',
];

const probeCauses: readonly (readonly [SentenceName, string])[] = [
  ['probe_differs', 'fails later'],
  ['probe_fails', 'fails before'],
  ['probe_verified', 'unknown secret or mistake'],
  ['probe_varies', 'unknown secret or mistake'],
  ['probe_constant', 'constant'],
];

/**
 * The cause that an explanation names.
 * - `mistake:` with its reason, or `layer:` with the kind of what responded instead of the verification.
 * - What a probe shows: see {@link probeCauses}.
 * - `cause:` with the cause: that of the status, without more.
 */
function nameCause({ cause, layer, mistake, detail }: Explanation): string {
  if (mistake !== null) return `mistake:${mistake.reason}`;
  if (layer !== null && layers[layer.kind].cause !== 'signature_rejected') return `layer:${layer.kind}`;
  const shown = ([name]: readonly [SentenceName, string]) => detail.endsWith(say(name));
  const probed = probeCauses.find(shown);
  if (probed !== undefined) return probed[1];
  return `cause:${cause}`;
}
