/** Every command that ends by itself, and each of the ways in which it can end. */

/** What the commands find in the emulator that they talk to. */
export interface Scene {
  readonly event: string;
  readonly delivery: string;
  readonly webhook: string;
  readonly secret: string;
  readonly workspace: string;
  /** Where a receiver listens. */
  readonly receiver: string;
  /** A new one each time, for what can be done to it but once. */
  createKey(): Promise<string>;
  createWebhook(): Promise<string>;
}

type Args = readonly string[];

export interface Row {
  /** Arguments with which it succeeds; none when left out. */
  readonly args?: Args | ((scene: Scene) => Args | Promise<Args>);
  /** What a person then sees on standard output, and on standard error, where nothing is expected when it is left out. */
  readonly shows: RegExp;
  readonly notes?: RegExp;
  /** Members of the JSON document. */
  readonly members: Args;
  /** Arguments that are a mistake, and how the error begins. */
  readonly mistake: readonly [args: Args, error: string];
  /** Arguments that name what does not exist; for a command that names nothing there are none. */
  readonly nobody?: Args;
  /** It needs no emulator. */
  readonly alone?: true;
}

/** What ids that nobody has end with. */
export const NOBODY = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

const page = ['data', 'has_more', 'end_cursor'];
const clock = ['workspace_id', 'now', 'rate', 'wall', 'next_due_at'];
const move = [...clock, 'attempts', 'pending'];
const otherWorkspace = ['--workspace', `ws_${NOBODY}`];
const payload = ['--payload', '{}', '--secret', 'whsec_a'];
const tooMany = 'too many arguments';

/** Those that start and stop an emulator, and wait for it, are driven in `cli-emulator.test.ts` and `exec.test.ts`. */
export const startAndStop = ['emulator start', 'emulator stop', 'emulator wait', 'emulator exec'];

/** Those that replace everything are driven in `cli-state.test.ts`. */
export const replacing = [
  'emulator reset',
  'emulator restore',
  'emulator snapshot save',
  'emulator snapshot load',
];

/** What it ends with depends on the machine: it is driven in `doctor.test.ts`. */
export const checks = ['doctor'];

/** Those that go on until they are interrupted. */
export const streams = ['deliveries tail', 'logs tail'];

export const rows: Readonly<Record<string, Row>> = {
  'emulator status': {
    shows: /^Base URL +http/,
    members: ['url', 'pid', 'db', 'deliveries'],
    mistake: [['now'], tooMany],
  },
  trigger: {
    args: ['invoice.paid', '--override', 'total.amount=1'],
    shows: /^Event +evt_\w+\nType +invoice\.paid\n\nID .*\ndel_/,
    members: ['event', 'deliveries'],
    mistake: [['invoice.paid', '--data', '{'], 'The payload'],
    nobody: ['invoice.paid', ...otherWorkspace],
  },
  // What goes on until it is interrupted is driven in `listen.test.ts`.
  listen: {
    args: ['--forward-to', '9', '--print-secret'],
    shows: /^whsec_[\w-]{43}\n$/,
    members: ['webhook_id', 'webhook_secret', 'url', 'workspace_id', 'webhooks'],
    mistake: [['--forward-to', 'ftp://localhost'], "option '--forward-to <url>' argument 'ftp://localhost'"],
    nobody: ['--forward-to', '9', '--print-secret', ...otherWorkspace],
  },
  'deliveries list': {
    args: ['--status', 'succeeded', '--limit', '1'],
    shows: /^ID +STATUS +TYPE .*\ndel_\w+ +✓ succeeded/,
    notes: /--starting-after del_\w+\.$/,
    members: page,
    mistake: [['--status', 'lost'], "option '--status <status>' argument 'lost' is invalid."],
    nobody: otherWorkspace,
  },
  'deliveries get': {
    args: ({ delivery }) => [delivery],
    shows: /^Delivery +del_[\s\S]*Attempt 1 +✓ succeeded 200[\s\S]*Signed string\n {2}\d{4}-/,
    members: ['id', 'status', 'attempts'],
    mistake: [[], "missing required argument 'id'"],
    nobody: [`del_${NOBODY}`],
  },
  'deliveries replay': {
    args: ({ delivery }) => [delivery, '--wait'],
    shows: /^ID +STATUS[\s\S]*del_\w+ +✓ succeeded/,
    members: ['id', 'status', 'attempt_count'],
    mistake: [['del_1', '--failed'], 'Pass either ids or --failed.'],
    nobody: [`del_${NOBODY}`],
  },
  'deliveries wait': {
    args: ({ event }) => ['--event', event, '--status', 'succeeded'],
    shows: /^ID +STATUS[\s\S]*del_\w+ +✓ succeeded/,
    members: page,
    mistake: [['--status', 'pending'], "option '--status <status>' argument 'pending' is invalid."],
    nobody: ['--event', `evt_${NOBODY}`],
  },
  'clock show': {
    shows: /^Workspace +ws_[\s\S]*frozen/,
    members: clock,
    mistake: [['now'], tooMany],
    nobody: otherWorkspace,
  },
  'clock speed': {
    args: ['60'],
    shows: /^Workspace +ws_/,
    members: clock,
    mistake: [['fast'], "command-argument value 'fast' is invalid"],
    nobody: ['60', ...otherWorkspace],
  },
  'clock freeze': {
    shows: /Speed +frozen/,
    members: clock,
    mistake: [['now'], tooMany],
    nobody: otherWorkspace,
  },
  'clock advance': {
    args: ['5m'],
    shows: /Schedule time/,
    members: move,
    mistake: [['far'], "command-argument value 'far' is invalid"],
    nobody: ['5m', ...otherWorkspace],
  },
  'clock next': {
    shows: /Pending +0 deliveries/,
    members: move,
    mistake: [['now'], tooMany],
    nobody: otherWorkspace,
  },
  'clock settle': {
    shows: /Pending +0 deliveries/,
    members: move,
    mistake: [['now'], tooMany],
    nobody: otherWorkspace,
  },
  'clock resume': {
    shows: /Speed +60×/,
    members: clock,
    mistake: [['now'], tooMany],
    nobody: otherWorkspace,
  },
  'events list': {
    args: ['--type', 'order.shipped'],
    shows: /^ID +TYPE +CREATED +PAYLOAD\nevt_\w+ +order\.shipped/,
    members: page,
    mistake: [['--limit', '101'], "option '--limit <n>' argument '101' is invalid."],
    nobody: otherWorkspace,
  },
  'events get': {
    args: ({ event }) => [event],
    shows: /^\{\n {2}"id": "evt_/,
    members: ['id', 'workspace_id', 'type', 'payload', 'created_at'],
    mistake: [[], "missing required argument 'id'"],
    nobody: [`evt_${NOBODY}`],
  },
  'events create': {
    args: ['order.created'],
    shows: /evt_\w+/,
    members: ['id', 'type', 'payload'],
    mistake: [[], "missing required argument 'type'"],
    nobody: ['order.created', ...otherWorkspace],
  },
  'webhooks list': {
    shows: /^ID +URL +EVENTS/,
    members: page,
    mistake: [['--limit', '0'], "option '--limit <n>' argument '0' is invalid."],
    nobody: otherWorkspace,
  },
  'webhooks get': {
    args: ({ webhook }) => [webhook],
    shows: /^ID +wh_/,
    members: ['id', 'url', 'events', 'disabled'],
    mistake: [['a', 'b'], tooMany],
    nobody: [`wh_${NOBODY}`],
  },
  'webhooks create': {
    args: ({ receiver }) => ['--url', receiver, '--events', 'a.b,c.d'],
    shows: /Secret +whsec_/,
    notes: /^The secret is shown this once\.$/,
    members: ['id', 'url', 'events', 'secret'],
    mistake: [['--url', 'ftp://a', '--events', 'a.b'], "option '--url <url>' argument 'ftp://a' is invalid."],
    nobody: ['--url', 'https://example.com', '--events', 'a.b', ...otherWorkspace],
  },
  'webhooks update': {
    args: async ({ createWebhook }) => [await createWebhook(), '--events', 'c.d'],
    shows: /Events +c\.d/,
    members: ['id', 'events'],
    mistake: [['wh_1'], 'There is nothing to change'],
    nobody: [`wh_${NOBODY}`, '--disable'],
  },
  'webhooks delete': {
    args: async ({ createWebhook }) => [await createWebhook()],
    shows: /^wh_\w+ is deleted/,
    members: ['id', 'deleted', 'canceled_deliveries'],
    mistake: [[], 'missing required argument'],
    nobody: [`wh_${NOBODY}`],
  },
  'webhooks rotate-secret': {
    args: async ({ createWebhook }) => [await createWebhook()],
    shows: /Secret +whsec_/,
    notes: /^The secret is shown this once\.$/,
    members: ['id', 'secret', 'previous_secret_expires_at'],
    mistake: [['wh_1', '--overlap', 'long'], "option '--overlap <duration>' argument 'long' is invalid."],
    nobody: [`wh_${NOBODY}`],
  },
  'workspaces list': {
    shows: /^ID +NAME/,
    members: page,
    mistake: [['--limit', 'x'], "option '--limit <n>' argument 'x' is invalid."],
  },
  'workspaces get': {
    args: ({ workspace }) => [workspace],
    shows: /"id": "ws_/,
    members: ['id', 'name', 'environment', 'created_at'],
    mistake: [['a', 'b'], tooMany],
    nobody: [`ws_${NOBODY}`],
  },
  'workspaces create': {
    args: ['Team A'],
    shows: /^ID +ws_\w+\nName +Team A/,
    notes: /^A key for it: svc keys create --workspace ws_\w+$/,
    members: ['id', 'name'],
    mistake: [[''], 'name'],
  },
  'keys list': {
    shows: /^ID +KEY +SCOPES/,
    members: page,
    mistake: [['x'], tooMany],
    nobody: otherWorkspace,
  },
  'keys create': {
    args: ['--scopes', 'events:read'],
    shows: /svc_test_\w+/,
    notes: /^The key is shown this once\.$/,
    members: ['id', 'key', 'scopes', 'workspace_id', 'created_at'],
    mistake: [['--scopes', 'everything'], "option '--scopes <list>' argument 'everything' is invalid."],
    nobody: ['--scopes', 'events:read', ...otherWorkspace],
  },
  'keys revoke': {
    args: async ({ createKey }) => [await createKey()],
    shows: /^key_\w+ is revoked\./,
    members: ['id', 'revoked_at'],
    mistake: [[], "missing required argument 'id'"],
    nobody: [`key_${NOBODY}`],
  },
  'faults add': {
    args: ['--kind', 'duplicate', '--type', 'never.sent'],
    shows: /^flt_\w+ is in force: duplicate\./,
    members: ['id', 'on', 'kind', 'fired'],
    mistake: [['--kind', 'none'], "option '--kind <kind>' argument 'none' is invalid."],
    nobody: ['--kind', 'drop', ...otherWorkspace],
  },
  'faults list': {
    shows: /^ID +FAULT +ON +FIRED/,
    members: page,
    mistake: [['x'], tooMany],
    nobody: otherWorkspace,
  },
  'faults clear': {
    args: ({ workspace }) => ['--workspace', workspace],
    shows: /^\d+ faults? cleared\./,
    members: ['cleared'],
    mistake: [['a', 'b'], tooMany],
    nobody: [`flt_${NOBODY}`],
  },
  'logs list': {
    args: ['--method', 'POST'],
    shows: /^AT +METHOD +PATH +STATUS[\s\S]*POST +\/v1\/events +201/,
    members: page,
    mistake: [['--status', '600'], "option '--status <status>' argument '600' is invalid."],
    nobody: otherWorkspace,
  },
  'fixtures list': {
    shows:
      /^NAME +KIND +FROM +DESCRIPTION\n[\s\S]*order\.shipped +event +built-in[\s\S]*order-lifecycle +script/,
    members: page,
    mistake: [['now'], tooMany],
    alone: true,
  },
  'fixtures show': {
    args: ['order.shipped'],
    shows: /^\{\n {2}"description": "A parcel/,
    members: ['name', 'kind', 'source', 'overrides', 'file', 'content'],
    mistake: [[], "missing required argument 'name'"],
    nobody: [NOBODY],
    alone: true,
  },
  'fixtures run': {
    args: ['order-lifecycle'],
    shows: /^✓ created +order\.created +evt_\w+\n +del_[\s\S]*✓ expect +every delivery: succeeded\n$/,
    members: ['script', 'file', 'ok', 'steps'],
    mistake: [['--dry-run'], "missing required argument 'script'"],
    nobody: ['order-lifecycle', ...otherWorkspace],
  },
  'fixtures types': {
    shows: /^\/\/ Written by: svc fixtures types > svc-events\.d\.ts\n[\s\S]*"order\.shipped": \{/,
    members: ['types'],
    mistake: [['now'], tooMany],
    alone: true,
  },
  'fixtures validate': {
    shows: /^\d+ files checked, nothing is wrong\.\n$/,
    members: ['ok', 'checked', 'problems'],
    mistake: [['nowhere.json'], 'There is nothing at '],
    alone: true,
  },
  verify: {
    args: ({ delivery, secret }) => ['--delivery', delivery, '--secret', secret],
    shows: /^valid /,
    members: ['ok', 'reason', 'detail', 'remedy', 'scheme'],
    mistake: [['--secret', 'a'], 'Pass one of --payload, --request and --delivery.'],
    nobody: ['--delivery', `del_${NOBODY}`, '--secret', 'a'],
  },
  sign: {
    args: payload,
    shows: /^Service-Signature: v1=[0-9a-f]{64}\nService-Timestamp: /,
    members: ['headers', 'timestamp', 'signed_content'],
    mistake: [['--payload', '{}'], 'There is no secret: pass --secret'],
    alone: true,
  },
  'receiver check': {
    args: ({ receiver, secret }) => [receiver, '--secret', secret, '--rule', 'robustness'],
    shows:
      /^STATUS +CHECK[\s\S]*✓ passed +robustness\.at-once .*\n\n5 passed, 0 failed, 0 not observable\.\n$/,
    members: ['ok', 'passed', 'failed', 'not_observable', 'checks'],
    mistake: [['--secret', 'a'], "missing required argument 'url'"],
    alone: true,
  },
  'receiver example': {
    args: ['--framework', 'express'],
    shows: /^\/\/ receiver\.mjs\n[\s\S]*express\.raw[\s\S]*\/\/ deliveries\.mjs\n[\s\S]*timingSafeEqual/,
    members: ['framework', 'packages', 'start', 'files'],
    mistake: [[], "missing required argument 'framework'"],
    alone: true,
  },
  env: {
    shows: /^export SVC_BASE_URL=http[\s\S]*export SVC_API_KEY=svc_test_/,
    members: ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_WORKSPACE_ID', 'SVC_CONTROL_URL', 'SVC_WEBHOOK_SECRET'],
    mistake: [['--format', 'xml'], "option '--format <format>' argument 'xml' is invalid."],
  },
  open: {
    args: ({ delivery }) => [delivery, '--print'],
    shows: /^http:\/\/127\.0\.0\.1:\d+\/#\/deliveries\/del_\w+\n$/,
    members: ['url'],
    mistake: [['ws_1'], "command-argument value 'ws_1' is invalid"],
    nobody: [`del_${NOBODY}`, '--print'],
  },
  completion: {
    args: ['bash'],
    shows: /^# Completion of svc in bash[\s\S]*\ncomplete .*-F _svc svc\n$/,
    members: ['shell', 'script'],
    mistake: [['csh'], "command-argument value 'csh' is invalid"],
    alone: true,
  },
  gaps: {
    shows: /^\S+ .*[\s\S]*retry\.schedule/,
    members: ['data'],
    mistake: [['now'], tooMany],
    alone: true,
  },
  config: {
    shows: /^SETTING +VALUE/,
    members: ['data'],
    mistake: [['now'], tooMany],
    alone: true,
  },
};
