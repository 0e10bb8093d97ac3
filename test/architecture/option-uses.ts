/**
 * For each command with options: command lines that use every option, and the options that they are parsed to. Scripts of users
 * rely on these options. A command can get more; none may be removed.
 */
import { expect } from 'vitest';

export type OptionUse = readonly [line: string, options: object];

const workspace: OptionUse = [
  '--workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  { workspace: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
];
/** In a list, the option is a field of the API. */
const inWorkspace: OptionUse = [
  '--workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  { workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
];
const page: OptionUse = ['--limit 5 --starting-after x_1', { limit: 5, starting_after: 'x_1' }];
const deliveryFilter: OptionUse = [
  '--status failed --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --type a.b --webhook wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --text abc --since 1h',
  {
    status: 'failed',
    event_id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    type: 'a.b',
    webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    text: 'abc',
    since: '1h',
  },
];
const responseFilter: OptionUse = ['--response 4XX', { response_status: '4xx' }];
const requestFilter: OptionUse = [
  '--method post --path /v1/events --status 403 --key key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --request req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --resource evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --slower-than 100ms --since 10m',
  {
    method: 'POST',
    path: '/v1/events',
    status: 403,
    key: 'key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    request_id: 'req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    resource_id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    min_duration_ms: 100,
    since: '10m',
  },
];
const eventOptions: OptionUse = [
  '-d {} --override a=1 --override b=2 --add c=3 --remove d --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --idempotency-key k --random-seed 7',
  {
    ...{ data: '{}', override: ['a=1', 'b=2'], add: ['c=3'], remove: ['d'] },
    workspace: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    idempotencyKey: 'k',
    randomSeed: '7',
  },
];
const wait: readonly OptionUse[] = [
  ['--wait', { wait: true }],
  ['--wait=1m --keep-waiting', { wait: 60_000, keepWaiting: true }],
];

/** Options that are settings. `test/config` tests their values. */
const startOptions: readonly OptionUse[] = [
  [
    '--port 0 --host ::1 --db a.db --environment production --profile strict --sender stripe --speed 60 --keep-days 3 --keep-megabytes 5',
    {
      port: '0',
      host: '::1',
      db: 'a.db',
      environment: 'production',
      profile: 'strict',
      sender: 'stripe',
      speed: '60',
      keepDays: '3',
      keepMegabytes: '5',
    },
  ],
  [
    '--forward-to 3000/hooks -e a.b,c.d --random-seed 7 --freeze',
    {
      forwardTo: '3000/hooks',
      events: 'a.b,c.d',
      randomSeed: '7',
      freeze: true,
    },
  ],
  ['--wall-clock 2026-11-20T12:00:00Z --seed a.yaml', { wallClock: '2026-11-20T12:00:00Z', seed: 'a.yaml' }],
  [
    '--https --ca ca.pem --proxy http://proxy:3128 --public-url https://a.example --tunnel --allow-host a.b,c.d',
    {
      https: true,
      ca: 'ca.pem',
      proxy: 'http://proxy:3128',
      publicUrl: 'https://a.example',
      tunnel: true,
      allowHost: 'a.b,c.d',
    },
  ],
];

export const optionUses: Readonly<Record<string, readonly OptionUse[]>> = {
  'emulator start': [
    ...startOptions,
    ['--write-env .env --detach --open', { writeEnv: '.env', detach: true, open: true }],
    ['--fresh --detached', { fresh: true, detached: true }],
  ],
  'emulator exec': [
    ...startOptions,
    ['--require-settled --log a.log', { requireSettled: true, log: 'a.log' }],
    ['--require-settled --allow-no-deliveries', { requireSettled: true, allowNoDeliveries: true }],
  ],
  'emulator wait': [['--timeout 5s', { timeout: 5_000 }]],
  'emulator reset': [['--all --yes', { all: true, yes: true }]],
  'emulator snapshot load': [['--yes', { yes: true }]],
  trigger: [eventOptions, ...wait, ['--count 10 --rate 5/s', { count: 10, rate: 5 }]],
  listen: [
    ['--respond 500,timeout,reset,200 --body', { respond: [500, 'timeout', 'reset', 200], body: true }],
    [
      '-e e.f --events g.h --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      { events: ['e.f', 'g.h'], workspace: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
    ],
    [
      '-H A:b --headers C:d:e --skip-verify --print-secret --format json',
      { headers: { A: 'b', C: 'd:e' }, skip_verify: true, printSecret: true, format: 'json' },
    ],
  ],
  'deliveries list': [deliveryFilter, responseFilter, ['--until 10m', { until: '10m' }], page],
  'deliveries tail': [deliveryFilter, responseFilter],
  'deliveries wait': [
    deliveryFilter,
    ['--count 3 --timeout 10s --keep-waiting', { count: 3, timeout: 10_000, keepWaiting: true }],
  ],
  'deliveries export': [deliveryFilter, responseFilter, ['--until 10m', { until: '10m' }]],
  'deliveries replay': [
    ['--failed --since 1h --rate 20/s', { failed: true, since: '1h', rate: 20 }],
    ['--to http://a --new-id --edit', { to: 'http://a', newId: true, edit: true }],
    ['--data -', { data: '-' }],
    ['--failed --yes', { failed: true, yes: true }],
    ...wait,
  ],
  'clock show': [inWorkspace],
  'clock speed': [inWorkspace],
  'clock freeze': [inWorkspace],
  'clock resume': [inWorkspace],
  'clock advance': [inWorkspace],
  'clock next': [inWorkspace],
  'clock settle': [inWorkspace],
  'events list': [
    page,
    [
      '--type a.b --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      { type: 'a.b', workspace: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
    ],
  ],
  'events create': [eventOptions],
  'events import': [workspace, ['--at-once', { atOnce: true }]],
  'webhooks list': [page, inWorkspace],
  'webhooks create': [
    [
      '--url http://a -e a.b,c.d --events e.f --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      { url: 'http://a', events: ['a.b', 'c.d', 'e.f'], workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
    ],
    ['-H A:b --skip-verify --disable', { headers: { A: 'b' }, skip_verify: true, disabled: true }],
  ],
  'webhooks get': [['--show-secret', { showSecret: true }]],
  'webhooks update': [
    ['--url http://a -e a.b --disable', { url: 'http://a', events: ['a.b'], disabled: true }],
    ['--enable -H A:b --skip-verify', { enable: true, headers: { A: 'b' }, skip_verify: true }],
    ['--no-headers --no-skip-verify', { headers: false, skip_verify: false }],
  ],
  'webhooks delete': [['--yes', { yes: true }]],
  'webhooks rotate-secret': [['--overlap 1h30m', { overlap_ms: 5_400_000 }]],
  'workspaces list': [page],
  'keys list': [page, inWorkspace],
  'keys create': [
    ['--name reader', { name: 'reader' }],
    ['--scopes events:read,events:write', { scopes: ['events:read', 'events:write'] }],
    inWorkspace,
    ['--all-workspaces', { allWorkspaces: true }],
  ],
  'keys revoke': [['--yes', { yes: true }]],
  'logs list': [requestFilter, page],
  'logs tail': [requestFilter],
  'logs get': [['--curl', { curl: true }]],
  'faults add': [
    [
      '--on request --method post --path /events --key key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --status 503 --error-code a --latency 2s --drop after',
      {
        on: 'request',
        method: 'POST',
        path: '/events',
        api_key_id: 'key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        status: 503,
        error_code: 'a',
        latency_ms: 2_000,
        drop: 'after',
      },
    ],
    [
      '--kind delay --webhook wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --type a.b --delay 10m --count 2 --probability 0.1 --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      {
        kind: 'delay',
        webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        type: 'a.b',
        delay_ms: 600_000,
        count: 2,
        probability: 0.1,
        workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      },
    ],
  ],
  'faults list': [page, inWorkspace],
  'faults clear': [inWorkspace],
  'fixtures import': [
    ['a.har --type order.created,order.paid --yes', { type: ['order.created', 'order.paid'], yes: true }],
    ['openapi.yaml --dry-run', { dryRun: true }],
  ],
  'gaps check': [
    [
      'a.har --base-url https://api.example.com/v1 --deliveries-to https://receiver.example --secret whsec_a --secret @b --write --yes',
      {
        baseUrl: 'https://api.example.com/v1',
        deliveriesTo: 'https://receiver.example',
        secret: ['whsec_a', '@b'],
        write: true,
        yes: true,
      },
    ],
  ],
  'gaps record': [
    [
      'https://api.example.com/v1 --save a.ndjson --type a.b --delay 1s --yes',
      {
        save: 'a.ndjson',
        type: 'a.b',
        delay: 1000,
        yes: true,
      },
    ],
  ],
  'fixtures run': [workspace, ['--random-seed 7', { randomSeed: '7' }]],
  explain: [['--attempt 2 --probe --steps', { attempt: 2, probe: true, steps: true }], workspace],
  verify: [
    [
      '--secret a --payload {} --signature v1=00 --timestamp 2026-11-20T12:00:00Z --id msg_1 --scheme stripe',
      {
        ...{ secret: ['a'], payload: '{}', signature: 'v1=00', timestamp: '2026-11-20T12:00:00Z' },
        id: 'msg_1',
        scheme: 'stripe',
      },
    ],
    [
      '--delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --computed v1=00 --request r.txt --tolerance 10m --now -6m',
      {
        delivery: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        computed: 'v1=00',
        request: 'r.txt',
        tolerance: 600_000,
        now: expect.any(Function),
      },
    ],
  ],
  sign: [
    [
      '--payload @a.json --secret a --secret b --at -6m --id msg_1 --scheme stripe --curl',
      {
        payload: '@a.json',
        secret: ['a', 'b'],
        at: expect.any(Function),
        id: 'msg_1',
        scheme: 'stripe',
        curl: true,
      },
    ],
    ['--curl http://a', { curl: 'http://a' }],
  ],
  'receiver check': [
    [
      '--secret a --rule raw-body,timestamp --rule signature.empty --scheme stripe',
      { secret: 'a', rule: ['raw-body', 'timestamp', 'signature.empty'], scheme: 'stripe' },
    ],
    [
      '--observe http://a --event-type a.b --timeout 3s --strict --ca ca.pem --junit a.xml',
      { observe: 'http://a', eventType: 'a.b', timeout: 3_000, strict: true, ca: 'ca.pem', junit: 'a.xml' },
    ],
  ],
  'receiver fuzz': [
    [
      '--secret a --runs 5 --time 60s --random-seed 7 -e a.b,c.d --observe http://a --only burst,restart --without stale',
      {
        ...{ secret: 'a', runs: 5, time: 60_000, randomSeed: 7, events: ['a.b', 'c.d'], observe: 'http://a' },
        ...{ only: ['burst', 'restart'], without: ['stale'] },
      },
    ],
    [
      '--restart-command a --replay a.json --junit a.xml --scheme stripe --timeout 3s --ca ca.pem',
      {
        ...{ restartCommand: 'a', replay: 'a.json', junit: 'a.xml' },
        ...{ scheme: 'stripe', timeout: 3_000, ca: 'ca.pem' },
      },
    ],
  ],
  'receiver example': [
    ['--framework hono --out a', { framework: 'hono', out: 'a' }],
    ['--tests pytest', { tests: 'pytest' }],
  ],
  env: [['--format github', { format: 'github' }]],
  open: [['--print', { print: true }]],
};
