import { expect, it } from 'vitest';
import { renderBanner } from '../../src/cli/ready-line.ts';

const status = {
  url: 'https://127.0.0.1:4777',
  base_url: 'https://127.0.0.1:4777/v1',
  control_url: 'https://127.0.0.1:4777/_svc',
  dashboard_url: 'https://127.0.0.1:4777/',
  environment: 'sandbox',
  profile: 'relaxed',
  workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  api_key: 'svc_test_abc',
  pid: 7,
  version: '0.1.0',
  boot_ms: 70,
} as const;
const forwarded = { ...status, webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', webhook_secret: 'whsec_a' };
const details = { certificate: null, rules: { payloadField: 'payload', webhookUrl: 'local' } } as const;
const capabilities = { width: 80, color: false, unicode: true };
const endpoint = (id: string, url: string, events = ['*']) => ({ id, url, events });

it('the banner shows the addresses, the API key and the next command', () => {
  const endpoints = [
    endpoint('wh_other', 'https://example.com/'),
    endpoint(forwarded.webhook_id, 'http://localhost:3000/', ['invoice.paid']),
  ];
  expect(renderBanner(forwarded, endpoints.slice(1), details, capabilities)).toMatchInlineSnapshot(`
    "
    svc emulator 0.1.0  sandbox, relaxed

    Dashboard    https://127.0.0.1:4777/
    Base URL     https://127.0.0.1:4777/v1
    Control URL  https://127.0.0.1:4777/_svc
    Workspace    ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
    API key      svc_test_abc
    Endpoint     wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D → http://localhost:3000/
    Secret       whsec_a

    Create an event:

      curl https://127.0.0.1:4777/v1/events \\
        -H 'Authorization: Bearer svc_test_abc' \\
        -H 'Content-Type: application/json' \\
        -d '{"type":"invoice.paid","payload":{"order_id":"ord_1"}}'

    Next: svc trigger invoice.paid
    "
  `);
  // The endpoint of --forward-to is the first, and its secret names it.
  expect(renderBanner(forwarded, endpoints, details, capabilities)).toContain(`
Endpoints    wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D → http://localhost:3000/
             wh_other → https://example.com/
Secret       whsec_a (wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D)
`);
});

it('the banner shows the URL that the endpoint had before this start', () => {
  const moved = { ...forwarded, webhook_previous_url: 'http://localhost:4242/' };
  const endpoints = [endpoint(forwarded.webhook_id, 'http://localhost:4243/')];
  expect(renderBanner(moved, endpoints, details, capabilities)).toContain(
    `Endpoint     ${forwarded.webhook_id} → http://localhost:4243/ (was http://localhost:4242/)\n`,
  );
});

it('the banner lists five endpoints and counts the others', () => {
  const endpoints = Array.from({ length: 8 }, (_, index) => endpoint(`wh_${index}`, 'http://localhost:1/'));
  const banner = renderBanner(status, endpoints, details, capabilities);
  expect(banner.match(/wh_\d/g)).toEqual(['wh_0', 'wh_1', 'wh_2', 'wh_3', 'wh_4']);
  expect(banner).toContain('\n             and 3 more: svc webhooks list\n');
  expect(banner).toContain('Next: svc trigger order.shipped\n');
});

it('without an endpoint, the banner suggests svc listen, or svc webhooks create if no local URL is accepted', () => {
  const banner = renderBanner(status, [], details, capabilities);
  expect(banner).toContain('Next: svc listen\n');
  expect(banner).not.toContain('Endpoint');
  const rules = { ...details.rules, webhookUrl: 'public' } as const;
  expect(renderBanner(status, [], { ...details, rules }, capabilities)).toContain(
    'Next: svc webhooks create --url https://your-receiver.example.com/webhooks --events order.shipped\n',
  );
});

it('the curl command of the banner trusts a generated certificate, except at a public address', () => {
  const https = { ...details, certificate: '/a/certificate.pem' };
  const own = renderBanner(status, [], https, capabilities);
  expect(own).toContain('curl --cacert /a/certificate.pem https://127.0.0.1:4777/v1/events');
  const open = { ...status, base_url: 'https://svc.example.com/v1' };
  expect(renderBanner(open, [], https, capabilities)).toContain('curl https://svc.example.com/v1/events');
});
