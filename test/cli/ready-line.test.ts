import { it } from 'vitest';
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
const clock = {
  workspace_id: status.workspace_id,
  now: '2026-11-20T12:00:00.400Z',
  wall: '2026-11-20T12:00:00.000Z',
  speed: 1,
  next_due_at: null,
};
const details = {
  clock,
  program: 'svc',
  certificate: null,
  rules: { payloadField: 'payload', webhookUrl: 'local' },
} as const;
const capabilities = { width: 80, color: false, unicode: true };

function render(
  shown: EmulatorStatus,
  endpoints: readonly ReturnType<typeof endpoint>[],
  overrides: Partial<Parameters<typeof renderBanner>[1]> = {},
) {
  return renderBanner(shown, { ...details, endpoints, ...overrides }, capabilities);
}

const endpoint = (id: string, url: string, events = ['*']) => ({ id, url, events });

it('the banner of each emulator is that of golden/banner.txt', async () => {
  const one = endpoint(forwarded.webhook_id, 'http://localhost:3000/', ['invoice.paid']);
  const eight = Array.from({ length: 8 }, (_, index) => endpoint(`wh_${index}`, 'http://localhost:1/'));
  const https = { certificate: '/a/certificate.pem' };
  const onlyPublic = { rules: { ...details.rules, webhookUrl: 'public' } } as const;
  const restarted = { ...status, db: ':memory:', deliveries: { pending: 3, in_flight: 0 } };
  const behind = { ...clock, speed: 0, now: '2026-11-20T11:00:00.000Z' };
  const frozen = { ...clock, speed: 0, now: '2026-11-28T12:00:00.000Z' };
  await expectGolden('banner', {
    'with the endpoint of --forward-to': render(forwarded, [one]),
    'with another endpoint, and the secret of that of --forward-to': render(forwarded, [
      endpoint('wh_other', 'https://example.com/'),
      one,
    ]),
    'with eight endpoints': render(status, eight),
    'without an endpoint, and with a frozen clock': render(status, [], { clock: behind }),
    'without an endpoint, and no local URL is accepted': render(status, [], onlyPublic),
    'with a generated certificate': render(status, [], https),
    'with a public address, whose certificate is not generated': render(
      { ...status, base_url: 'https://svc.example.com/v1' },
      [],
      https,
    ),
    'with pending deliveries and a schedule clock that differs': render(restarted, [], { clock: frozen }),
    'in a clone': render(status, [one], { program: 'node bin/svc.js' }),
  });
});
