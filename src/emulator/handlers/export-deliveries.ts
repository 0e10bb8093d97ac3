/**
 * Exports deliveries as NDJSON, oldest first and without secrets. It reads one delivery at a time, so that an export of
 * many deliveries needs little memory.
 */

import { SvcError } from '../../domain/errors.ts';
import { createSecretRemover, type SecretRemover } from '../../domain/secret-remover.ts';
import { type ExportedDelivery, ExportInput } from '../../operations/export-schemas.ts';
import { yieldToEventLoop } from '../../platform/timers.ts';
import type { Attempt } from '../../resources/attempt.ts';
import { validate } from '../../resources/validate.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import { getDeliveryRow } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { listSecrets } from '../service/verification.ts';
import { toDeliveryDetail } from './delivery-handlers.ts';
import { toCondition } from './to-condition.ts';

/**
 * Returns the file in parts that end with a line.
 * @throws SvcError `invalid_request`; `not_found` for an unknown delivery, event, endpoint or workspace, and if no delivery
 *   matches. The iteration throws `conflict` if the state is replaced meanwhile.
 */
export async function exportDeliveries(
  sandbox: Sandbox,
  input: ExportInput,
  signal?: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const { delivery_id: id, ...filter } = validate(ExportInput, input, 'invalid_request');
  if (id !== undefined && Object.values(filter).some((value) => value !== undefined)) {
    throw new SvcError('invalid_request', 'delivery_id cannot be combined with a filter.');
  }
  const { stateReplacedSeq } = sandbox.store;
  const condition = toCondition(sandbox, filter, 'schedule');
  const seqs =
    id === undefined ? sandbox.store.deliveryQueries.listSeqs(condition) : [getDeliveryRow(sandbox, id).seq];
  if (seqs.length === 0) {
    throw new SvcError('not_found', 'No delivery matches the filter.', {
      hint: { text: 'List the deliveries', command: 'svc deliveries list' },
    });
  }
  return readDeliveries(sandbox, seqs, stateReplacedSeq, signal);
}

/** Number of deliveries that are read before other work continues. */
const READ_AT_ONCE = 50;

/** One line of JSON for each delivery. Skips those that were removed meanwhile. */
async function* readDeliveries(
  sandbox: Sandbox,
  seqs: readonly number[],
  stateReplacedSeq: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const { store } = sandbox;
  for (const [index, seq] of seqs.entries()) {
    if (index % READ_AT_ONCE === 0) await yieldToEventLoop();
    if (signal?.aborted) return;
    // Otherwise the file would contain deliveries of two states.
    if (store.stateReplacedSeq !== stateReplacedSeq) {
      throw new SvcError('conflict', 'The state was replaced before the export was complete.');
    }
    const row = store.deliveryQueries.findBySeq(seq);
    if (row !== undefined) yield `${JSON.stringify(readDelivery(sandbox, row))}\n`;
  }
}

function readDelivery(sandbox: Sandbox, row: DeliveryRow): ExportedDelivery {
  const { store } = sandbox;
  const detail = toDeliveryDetail(sandbox, row);
  const headers = detail.attempts.flatMap(({ request, response }) =>
    response === null ? [request.headers] : [request.headers, response.headers],
  );
  const remover = createSecretRemover(listSecrets(sandbox, row), headers);
  return {
    ...detail,
    url: remover.fromUrl(detail.url),
    attempts: detail.attempts.map((attempt) => removeSecrets(attempt, remover)),
    body: remover.fromText(store.deliveryQueries.getBody(row.seq)),
  };
}

function removeSecrets(attempt: Attempt, remover: SecretRemover): Attempt {
  const { request, response, error } = attempt;
  return {
    ...attempt,
    error: error === null ? null : remover.fromText(error),
    request: {
      url: remover.fromUrl(request.url),
      headers: remover.fromHeaders(request.headers),
      body: remover.fromText(request.body),
      signed_content: remover.fromText(request.signed_content),
    },
    response: response && {
      ...response,
      headers: remover.fromHeaders(response.headers),
      // Base64 is a body that is not text.
      body: response.encoding === 'base64' ? response.body : remover.fromText(response.body),
    },
  };
}
