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
const rules = { payloadField: 'payload', webhookUrl: 'local' } as const;
const capabilities = { width: 80, color: false, unicode: true, links: false };

it('the banner shows the addresses, the API key and the next command', () => {
  const forwarding = { forwardTo: 'http://localhost:3000/', events: ['invoice.paid'] };
  expect(renderBanner(forwarded, null, forwarding, rules, capabilities)).toMatchInlineSnapshot(`
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
});

it('the banner shows the URL that the endpoint had before this start', () => {
  const forwarding = { forwardTo: 'http://localhost:4243/', events: ['*'] };
  const moved = { ...forwarded, webhook_previous_url: 'http://localhost:4242/' };
  expect(renderBanner(moved, null, forwarding, rules, capabilities)).toContain(
    `Endpoint     ${forwarded.webhook_id} → http://localhost:4243/ (was http://localhost:4242/)\n`,
  );
});

it('the banner suggests svc webhooks create if no endpoint exists', () => {
  const banner = renderBanner(status, null, { forwardTo: null, events: ['*'] }, rules, capabilities);
  expect(banner).toContain(
    'Next: svc webhooks create --url http://localhost:3000/webhooks --events order.shipped\n',
  );
  expect(banner).not.toContain('Endpoint');
});

it('the curl command of the banner trusts a generated certificate, except at a public address', () => {
  const forwarding = { forwardTo: null, events: ['*'] };
  const own = renderBanner(status, '/a/certificate.pem', forwarding, rules, capabilities);
  expect(own).toContain('curl --cacert /a/certificate.pem https://127.0.0.1:4777/v1/events');
  const open = { ...status, base_url: 'https://svc.example.com/v1' };
  const out = renderBanner(open, '/a/certificate.pem', forwarding, rules, capabilities);
  expect(out).toContain('curl https://svc.example.com/v1/events');
});
