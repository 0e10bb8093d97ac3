import { expect, it } from 'vitest';
import { renderBanner } from '../../src/cli/ready-line.ts';
import type { EmulatorStatus } from '../../src/operations/emulator-schemas.ts';
import { expectGolden } from './golden-output.ts';

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
  db: '/home/me/shop/.svc/sandbox.db',
  project_folder: '/home/me/shop',
  started_at: '2026-11-20T12:00:00.000Z',
  sender: 'svc',
  example_type: 'order.shipped',
  payload_field: 'payload',
  workspace_parameter: 'workspace_id',
  deliveries: { pending: 0, in_flight: 0 },
  retention: { days: 30, requests: null, megabytes: null },
} as const;
const forwarded = { ...status, webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', webhook_secret: 'whsec_a' };
const details = {
  certificate: null,
  rules: { payloadField: 'payload', webhookUrl: 'local' },
} as const;
const capabilities = { width: 80, color: false, unicode: true };
const clock = {
  workspace_id: status.workspace_id,
  now: '2026-11-20T12:00:00.400Z',
  wall: '2026-11-20T12:00:00.000Z',
  speed: 1,
  next_due_at: null,
};

function render(
  shown: EmulatorStatus,
  endpoints: readonly ReturnType<typeof endpoint>[],
  overrides: Partial<Parameters<typeof renderBanner>[2]> = {},
) {
  return renderBanner(
    shown,
    { endpoints, clock, program: 'svc' },
    { ...details, ...overrides },
    capabilities,
  );
}

const endpoint = (id: string, url: string, events = ['*']) => ({ id, url, events });

it('the banner shows the addresses, the API key and the next command', async () => {
  const endpoints = [
    endpoint('wh_other', 'https://example.com/'),
    endpoint(forwarded.webhook_id, 'http://localhost:3000/', ['invoice.paid']),
  ];
  await expectGolden('banner', { banner: render(forwarded, endpoints.slice(1)) });
  // The endpoint of --forward-to is the first, and its secret names it.
  expect(render(forwarded, endpoints)).toContain(`
Endpoints    wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D → http://localhost:3000/
             wh_other → https://example.com/
Secret       whsec_a (wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D)
`);
});

it('the banner lists five endpoints and counts the others', () => {
  const endpoints = Array.from({ length: 8 }, (_, index) => endpoint(`wh_${index}`, 'http://localhost:1/'));
  const banner = render(status, endpoints);
  expect(banner.match(/wh_\d/g)).toEqual(['wh_0', 'wh_1', 'wh_2', 'wh_3', 'wh_4']);
  expect(banner).toContain('\n             and 3 more: svc webhooks list\n');
  expect(banner).toContain('Next: svc trigger order.shipped\n');
});

it('without an endpoint, the banner suggests svc listen, or svc webhooks create if no local URL is accepted', () => {
  const banner = render(status, []);
  expect(banner).toContain('Next: svc listen\n');
  expect(banner).not.toContain('Endpoint');
  const rules = { ...details.rules, webhookUrl: 'public' } as const;
  expect(render(status, [], { rules })).toContain(
    'Next: svc webhooks create --url https://your-receiver.example.com/webhooks --events order.shipped\n',
  );
});

it('the curl command of the banner trusts a generated certificate, except at a public address', () => {
  const https = { certificate: '/a/certificate.pem' };
  const own = render(status, [], https);
  expect(own).toContain('curl --cacert /a/certificate.pem https://127.0.0.1:4777/v1/events');
  const open = { ...status, base_url: 'https://svc.example.com/v1' };
  expect(render(open, [], https)).toContain('curl https://svc.example.com/v1/events');
});

it('the banner shows pending deliveries, and a schedule clock that differs from the wall clock', () => {
  const restarted = { ...status, db: ':memory:', deliveries: { pending: 3, in_flight: 0 } };
  const frozen = { ...clock, speed: 0, now: '2026-11-28T12:00:00.000Z' };
  const banner = renderBanner(
    restarted,
    { endpoints: [], clock: frozen, program: 'svc' },
    details,
    capabilities,
  );
  expect(banner).toContain(
    'Database     in memory\nDeliveries   3 pending\nClock        frozen, 8d ahead of the wall clock\n',
  );
  expect(render(status, [])).not.toMatch(/^(?:Deliveries|Clock) /m);
});

it('the next command of the banner works in a clone', () => {
  const endpoints = [endpoint('wh_1', 'http://localhost:3000/', ['order.updated'])];
  const state = { endpoints, clock, program: 'node bin/svc.js' };
  const banner = renderBanner(status, state, details, capabilities);
  expect(banner).toContain('Next: node bin/svc.js trigger order.updated\n');
});
