/** Sends an export of deliveries as a download. The next part is read when the client has received the one before. */
import { ReadableStream } from 'node:stream/web';
import { type H3Event, HTTPResponse } from 'h3';
import type { ControlPlane } from '../operations/control-plane.ts';
import { EXPORT_TYPE, type ExportInput } from '../operations/export-schemas.ts';
import { abortAtEnd } from '../platform/abort-signals.ts';
import { readQuery } from './read-request.ts';
import { controlHeaders } from './responses.ts';

const encoder = new TextEncoder();

export async function exportResponse(
  event: H3Event,
  control: Pick<ControlPlane, 'exportDeliveries'>,
  requestId: string,
): Promise<HTTPResponse> {
  const ended = new AbortController();
  // `exportDeliveries` validates it.
  const input = readQuery(event) as Partial<ExportInput> as ExportInput;
  const parts = await control.exportDeliveries(input, ended.signal);
  const { delivery_id: id, event_id: eventId } = input;
  // An error closes the connection, so that the client does not take the file for complete.
  const body = ReadableStream.from(abortAtEnd(encode(parts), ended));
  // The types of a stream in Node.js and in a browser differ.
  return new HTTPResponse(body as unknown as Response['body'], {
    headers: {
      'Content-Type': `${EXPORT_TYPE}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${id ?? eventId ?? 'deliveries'}.ndjson"`,
      'Request-Id': requestId,
      ...controlHeaders,
    },
  });
}

async function* encode(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield encoder.encode(part);
}
