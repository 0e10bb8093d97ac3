/** Sends an export of deliveries as a download. The next part is read when the client has received the one before. */
import { type H3Event, HTTPResponse } from 'h3';
import type { ControlPlane } from '../contract/control-plane.ts';
import { type ExportInput, exportFormats } from '../contract/export-schemas.ts';
import { readQuery } from './read-request.ts';
import { controlHeaders } from './responses.ts';

const encoder = new TextEncoder();

export async function exportResponse(
  event: H3Event,
  control: Pick<ControlPlane, 'exportDeliveries'>,
  requestId: string,
): Promise<HTTPResponse> {
  const disconnected = new AbortController();
  // `exportDeliveries` validates it.
  const input = readQuery(event) as Partial<ExportInput> as ExportInput;
  const file = await control.exportDeliveries(input, disconnected.signal);
  const parts = file[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      // An error closes the connection, so that the client does not take the file for complete.
      async pull(controller) {
        const part = await parts.next();
        if (part.done) controller.close();
        else controller.enqueue(encoder.encode(part.value));
      },
      cancel: () => disconnected.abort(),
    },
    { highWaterMark: 1 },
  );
  const { format, delivery_id: id, event_id: eventId } = input;
  return new HTTPResponse(body, {
    headers: {
      'Content-Type': `${exportFormats[format]}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${id ?? eventId ?? 'deliveries'}.${format}"`,
      'Request-Id': requestId,
      ...controlHeaders,
    },
  });
}
