/** A delivery with markup, scripts, control characters and bidirectional text in every field that a client decides. */
import type { ExportedDelivery } from '../../../src/contract/export-schemas.ts';
import { writeHtml } from '../../../src/control/export/html-export.ts';
import { aDetail, anAttempt } from '../../cli/fake-context.ts';

const MARKUP =
  '</pre></style></title></script><script>document.title="hacked"</script><img src=x onerror=alert(1)>';
const INVISIBLE = 'a\u0000\u0007\u001b[31m\u202edesrever\u2066\u200b\ufeff\u2028\ud800z';
export const HOSTILE_TEXT = `${MARKUP}'"&amp;${INVISIBLE}`;

export const hostileDelivery: ExportedDelivery = {
  ...aDetail({
    event_type: HOSTILE_TEXT,
    url: `http://127.0.0.1/"onclick="alert(1)${MARKUP}`,
    attempts: [
      anAttempt({
        error: HOSTILE_TEXT,
        request: {
          url: `http://127.0.0.1/${HOSTILE_TEXT}`,
          headers: { 'X-Note': HOSTILE_TEXT, [MARKUP]: 'a' },
          body: JSON.stringify({ note: HOSTILE_TEXT }),
          signed_content: '',
        },
        response: {
          headers: { [MARKUP]: HOSTILE_TEXT },
          body: `<!doctype html>${HOSTILE_TEXT}`,
          encoding: 'utf8',
          truncated: true,
        },
      }),
    ],
  }),
  body: HOSTILE_TEXT,
};

/** The HTML page of an export of these deliveries, which have failed. */
export async function renderPage(...deliveries: ExportedDelivery[]): Promise<string> {
  async function* read() {
    yield* deliveries;
  }
  const counts = new Map([['failed', deliveries.length]] as const);
  let page = '';
  for await (const part of writeHtml({ startedAt: '2026-11-20T12:00:00.000Z', counts }, read())) page += part;
  return page;
}
