/** Recordings of the same three deliveries of two events, in each format. */

export const ids = {
  created: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  shipped: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2E',
};

/** @param payload JSON text */
export function envelope(type: string, id: string, payload = '{"total":12.50}'): string {
  return `{"type":"${type}","workspace_id":"ws_1","created_at":"2026-11-20T12:00:00.000Z","data":{"id":"${id}","workspace_id":"ws_1","type":"${type}","payload":${payload},"created_at":"2026-11-20T12:00:00.000Z"}}`;
}

export const deliveries = [
  { at: '2026-11-20T12:00:00.000Z', body: envelope('order.created', ids.created) },
  { at: '2026-11-20T12:05:00.000Z', body: envelope('order.created', ids.created) },
  { at: '2026-11-20T13:30:00.000Z', body: envelope('order.shipped', ids.shipped) },
];

export function harOf(entries: readonly object[]): string {
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'proxy', version: '1' }, entries } });
}

/** @param changes to the entry */
export function harEntry(at: string, text: string, changes: object = {}): object {
  return {
    startedDateTime: at,
    request: { method: 'POST', url: 'https://example.com/webhooks', postData: { mimeType: 'a/b', text } },
    response: { status: 200, content: { size: 0, mimeType: 'a/b' } },
    ...changes,
  };
}

export const har = harOf(deliveries.map(({ at, body }) => harEntry(at, body)));

/** An exported delivery. A fault changed the body of its first attempt. */
export function ndjsonLine(body: string, at = '2026-11-20T12:00:00.000Z', hasAttempts = true): string {
  const url = 'https://example.com/webhooks';
  const attempts = ['{}', body, body].map((sent, index) => ({
    sent_at: new Date(Date.parse(at) + index * 60_000).toISOString(),
    ...{ duration_ms: 3, response_status: 503 },
    request: { url, headers: { 'service-delivery-id': 'del_1' }, body: sent },
    response: { headers: {}, body: '' },
  }));
  return `${JSON.stringify({ id: 'del_1', url, created_at: at, attempts: hasAttempts ? attempts : [], body })}\n`;
}

export const ndjson = deliveries.map(({ at, body }) => ndjsonLine(body, at)).join('');
