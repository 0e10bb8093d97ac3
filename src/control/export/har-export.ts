/** Writes attempts as HAR 1.2, which developer tools of browsers open. */
import type { AttemptDetail } from '../../contract/delivery-schemas.ts';
import type { ExportedDelivery } from '../../contract/export-schemas.ts';
import { toAttemptEntry, UNKNOWN } from '../../contract/har-entry.ts';
import { VERSION } from '../../package-info.ts';

/** ID of the only page. Firefox requires a list of pages, and its earlier versions require a page for each entry. */
const PAGE_ID = 'deliveries';

/** @param startedAt wall time of the export */
export async function* writeHar(
  startedAt: number,
  deliveries: AsyncIterable<ExportedDelivery>,
): AsyncGenerator<string> {
  const page = {
    startedDateTime: new Date(startedAt).toISOString(),
    id: PAGE_ID,
    title: 'Deliveries',
    pageTimings: { onContentLoad: UNKNOWN, onLoad: UNKNOWN },
  };
  const creator = { name: 'svc-emulator', version: VERSION };
  yield `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"pages":[${JSON.stringify(page)}],"entries":[\n`;
  let separator = '';
  for await (const delivery of deliveries) {
    if (delivery.attempts.length === 0) continue;
    yield `${separator}${delivery.attempts.map((attempt) => JSON.stringify(toEntry(delivery, attempt))).join(',\n')}\n`;
    separator = ',';
  }
  yield ']}}\n';
}

/** Names that start with `_` are extensions. Chrome writes `_resourceType` too, and can filter by it. */
function toEntry(delivery: ExportedDelivery, attempt: AttemptDetail) {
  const { id, event_id, event_type, workspace_id, webhook_id, created_at, replay_of, status } = delivery;
  return {
    pageref: PAGE_ID,
    ...toAttemptEntry(attempt),
    cache: {},
    timings: toTimings(attempt),
    comment: `Attempt ${attempt.number} of ${id}`,
    _resourceType: 'fetch',
    _delivery: { id, event_id, event_type, workspace_id, webhook_id, created_at, replay_of, status },
  };
}

/** `connect` includes `ssl`, and the others add up to `time`. `send`, `wait` and `receive` must not be -1, unlike the rest. */
function toTimings({ phases, duration_ms: time }: AttemptDetail) {
  if (phases === null) return { send: 0, wait: time, receive: 0 };
  const { dns_ms: dns, connect_ms: connect, tls_ms: ssl } = phases;
  const [send, wait, receive] = [phases.send_ms ?? 0, phases.wait_ms ?? 0, phases.receive_ms ?? 0];
  const opening = (dns ?? 0) + (connect ?? 0) + (ssl ?? 0);
  return {
    blocked: Math.max(0, roundToMicroseconds(time - opening - send - wait - receive)),
    dns: dns ?? UNKNOWN,
    connect: connect === null ? UNKNOWN : roundToMicroseconds(connect + (ssl ?? 0)),
    ssl: ssl ?? UNKNOWN,
    send,
    wait,
    receive,
  };
}

function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
