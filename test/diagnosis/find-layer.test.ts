import { expect, it } from 'vitest';
import { describeAttempt, findLayer } from '../../src/diagnosis/find-layer.ts';
import { formatHint } from '../../src/domain/errors.ts';
import { anAttempt } from '../cli/fake-context.ts';
import responses from './responses.json' with { type: 'json' };

interface RecordedResponse {
  readonly name: string;
  readonly source: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly layer: string | null;
  readonly url?: string;
  readonly request?: unknown;
}

const sent = { type: 'order.shipped', data: { id: 'evt_1', payload: { price: 1.5 } } };

/** The response to a delivery to `http://127.0.0.1:3000/webhooks`. */
function findLayerOf({ status, headers, body, url, request = sent }: RecordedResponse) {
  const attempt = anAttempt({
    response_status: status,
    request: {
      url: url ?? 'http://127.0.0.1:3000/webhooks',
      headers: { 'Content-Type': 'application/json', 'Service-Signature': `v1=${'a'.repeat(64)}` },
      body: JSON.stringify(request),
      signed_content: '',
    },
    response: { headers, body, encoding: 'utf8', truncated: false },
  });
  return findLayer(attempt, describeAttempt({ id: 'del_1', webhook_id: 'wh_1' }, attempt)).found;
}

it('the evidence for the CSRF protection of Django is the sentence of its page, with DEBUG and without it', () => {
  const pages = (responses as RecordedResponse[]).filter(
    ({ source, layer }) => source.startsWith('django 3') && layer === 'csrf',
  );
  expect(pages.flatMap((page) => findLayerOf(page)?.evidence)).toEqual(
    Array(2).fill('The page contains "CSRF verification failed. Request aborted.".'),
  );
});

it.each(
  (responses as RecordedResponse[]).map(
    (response) => [response.status, response.name, response.source, response] as const,
  ),
)('the layer of the response %d is known: %s (%s)', (_status, _name, _source, response) => {
  const found = findLayerOf(response);
  expect(found?.layer?.kind ?? null).toBe(response.layer);
  expect(`${found?.detail} ${found?.hints.map(formatHint)}`).not.toMatch(
    /\{(?!signature_header|SIGNATURE_HEADER|timestamp|secret)\w+\}/,
  );
});

it.each([
  ['nginx 1.22.1', 'limit_req', /^likely: nginx responded with 503 itself.* Read the error log of nginx/],
  [
    'caddy 2.6.2, reverse_proxy',
    'nothing listens',
    /^likely: Caddy responded with an empty 502: .*, or your code/,
  ],
  [
    'apache/tomcat, TLSClientHelloExtractor',
    'plain HTTP from a tunnel',
    /^certain: The receiver expects TLS, but a proxy or tunnel .* Make the proxy or tunnel forward to HTTPS/,
  ],
  ['flask 2.2.2', 'no route', /^likely: Flask has no POST route .*, or your code called abort\(404\)/],
  ['AWS API Gateway', 'no route', /^likely: API Gateway has no POST route .*, or one that requires AWS_IAM/],
  ['django 3.2.25 DEBUG', 'no route', /^certain: The router has no POST route/],
  ['django 3.2.25 DEBUG', 'no object', /^certain: Django called your view, which raised Http404/],
  ['ngrok.com/docs/errors/err_ngrok_3200', 'offline', /Start the tunnel/],
  ['ngrok.com/docs/errors/err_ngrok_734', 'rate limit', /Look up the code at ngrok\.com\/docs\/errors,/],
])('what %s says for %s is not stated as more than is known', (source, name, text) => {
  const recorded = (responses as RecordedResponse[]).find(
    (one) => one.source === source && one.name === name,
  );
  const found = recorded && findLayerOf(recorded);
  expect(`${found?.certainty}: ${found?.detail} ${found?.hints.map(formatHint)}`).toMatch(text);
});

const HTTP = 'http://127.0.0.1:3000/hooks';
const HTTPS = 'https://abc.example/hooks';
it.each([
  [HTTPS, 'http://abc.example/hooks/', /^The router expects the request at https:\/\/abc\.example\/hooks\/ /],
  [HTTPS, 'https://www.abc.example/hooks', /^The server expects .* https:\/\/www\.abc\.example\/hooks /],
  [`${HTTP}/login`, 'https://127.0.0.1:3000/hooks/login', /^The server expects .* https:.*\/login /],
  [HTTP, 'https://id.example/realms/a/protocol/openid-connect/auth', /requires a sign-in/],
  [HTTP, 'https://accounts.google.com/o/oauth2/v2/auth?scope=a', /requires a sign-in/],
  [HTTP, 'https://auth.example/?rd=hooks', /^$/],
  [HTTPS, 'http://abc.example/', /^$/],
  [HTTPS, 'http://abc.example/hooks', /^$/],
])('a redirect from %s to %s is described by what it changes', (url, location, detail) => {
  const redirect = { name: '', source: '', status: 302, headers: { location }, body: '', layer: null, url };
  expect(findLayerOf(redirect)?.detail ?? '').toMatch(detail);
});

it('a page of 512 KiB is read in less than the test timeout', () => {
  const body = `<!doctype html><html><body>${'<p>abc</p> '.repeat(48_000)}</body></html>`;
  const page = { name: 'long', source: 'test', status: 200, headers: {}, body, layer: null };
  expect(findLayerOf(page)).toBe(null);
});
