/** Reads the HTTP exchanges of a recording: HAR, or the NDJSON of `svc deliveries export`. */
import * as v from 'valibot';
import { AttemptDetail } from '../../contract/delivery-schemas.ts';
import { type Exchange, toExchange } from '../../contract/exchange.ts';
import { HarEntry, toAttemptEntry } from '../../contract/har-entry.ts';
import type { CaptureSource } from './capture-source.ts';
import { readHar } from './har-capture.ts';
import { readNdjson } from './ndjson-capture.ts';

/** The fields of an exported delivery that a comparison needs. */
const Line = v.object({ attempts: v.array(AttemptDetail) });

/** @throws SvcError `usage` with the first invalid entry or line; `interrupted` */
export async function readExchanges(source: CaptureSource, signal: AbortSignal): Promise<Exchange[]> {
  const recorded = readHar(source);
  if (recorded !== null) return recorded;
  const exchanges: Exchange[] = [];
  for await (const { position, delivery } of readNdjson(source, Line, signal)) {
    for (const attempt of delivery.attempts) {
      const entry = v.parse(HarEntry, toAttemptEntry(attempt));
      const exchange = toExchange(entry, source.name, `${position}, attempt ${attempt.number}`);
      if (exchange !== null) exchanges.push(exchange);
    }
  }
  return exchanges;
}
