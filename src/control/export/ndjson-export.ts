import type { ExportedDelivery } from '../../contract/export-schemas.ts';

/** Writes each delivery as one line of JSON. */
export async function* writeNdjson(deliveries: AsyncIterable<ExportedDelivery>): AsyncGenerator<string> {
  for await (const delivery of deliveries) yield `${JSON.stringify(delivery)}\n`;
}
