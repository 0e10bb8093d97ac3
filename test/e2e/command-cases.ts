/** Arguments and expected output of every command that ends by itself. */

import { join } from 'node:path';

/** Resources of the emulator that the commands use. */
export interface CommandFixture {
  readonly event: string;
  readonly delivery: string;
  readonly webhook: string;
  /** A request that created an event. */
  readonly request: string;
  readonly secret: string;
  readonly workspace: string;
  /** URL of a receiver. */
  readonly receiver: string;
  /** Returns the id of a new key, for commands that work only once per resource. */
  createKey(): Promise<string>;
  createWebhook(): Promise<string>;
}

type Args = readonly string[];

export interface CommandCase {
  /** Arguments with which the command succeeds (default: none). */
  readonly args?: Args | ((commandFixture: CommandFixture) => Args | Promise<Args>);
  /** Standard output without --json. */
  readonly stdout: RegExp;
  /** Standard error without --json (default: empty). */
  readonly stderr?: RegExp;
  /** Fields of the JSON document. */
  readonly jsonFields: Args;
  /** Invalid arguments, and the start of the error message. */
  readonly invalid: readonly [args: Args, error: string];
  /** Arguments that name a missing resource, for commands that name one. */
  readonly notFound?: Args;
  /** The command runs without an emulator. */
  readonly needsNoEmulator?: true;
}

/** The end of ids that do not exist. */
export const UNKNOWN_ID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

const page = ['data', 'has_more', 'end_cursor'];
const clock = ['workspace_id', 'now', 'speed', 'wall', 'next_due_at'];
const move = [...clock, 'attempts', 'pending'];
const otherWorkspace = ['--workspace', `ws_${UNKNOWN_ID}`];
const payload = ['--payload', '{}', '--secret', 'whsec_a'];
const tooMany = 'Too many arguments: ';

/** `cli-emulator.test.ts`, `exec.test.ts` and `mcp.test.ts` test the commands that start, stop or await an emulator. */
export const processCommands = ['emulator start', 'emulator stop', 'emulator wait', 'emulator exec', 'mcp'];

/** `cli-state.test.ts` tests the commands that replace all state. */
export const stateReplacingCommands = ['emulator reset', 'emulator snapshot save', 'emulator snapshot load'];

/** The result depends on the machine: `test/cli/commands/doctor.test.ts` tests it. */
export const environmentDependentCommands = ['doctor'];

/** It sends requests to a service: `test/cli/commands/gaps.test.ts` tests it. */
export const serviceCommands = ['gaps record'];

/** Commands that run until they are interrupted. */
export const streamingCommands = ['deliveries tail', 'logs tail'];

export const commandCases: Readonly<Record<string, CommandCase>> = {
  'emulator status': {
    stdout: /^Base URL +http/,
    jsonFields: ['url', 'pid', 'db', 'deliveries'],
    invalid: [['now'], tooMany],
  },
  trigger: {
    args: ['invoice.paid', '--override', 'total.amount=1'],
    stdout: /^Event +evt_\w+\nType +invoice\.paid\n\nID .*\ndel_/,
    jsonFields: ['event', 'deliveries'],
    invalid: [['invoice.paid', '--data', '{'], 'The payload'],
    notFound: ['invoice.paid', ...otherWorkspace],
  },
  // `listen.test.ts` tests the command without --print-secret, which runs until it is interrupted.
  listen: {
    args: ['9', '--print-secret'],
    stdout: /^whsec_[\w-]{43}\n$/,
    jsonFields: ['webhook_id', 'webhook_secret', 'url', 'workspace_id'],
    invalid: [['ftp://localhost'], 'Invalid value for url: "ftp://localhost"'],
    notFound: ['9', '--print-secret', ...otherWorkspace],
  },
  'deliveries list': {
    args: ['--status', 'succeeded', '--limit', '1'],
    stdout: /^ID +STATUS +TYPE .*\ndel_\w+ +✓ succeeded/,
    stderr: /--starting-after del_\w+ for the next page\.$/,
    jsonFields: page,
    invalid: [['--status', 'lost'], 'Invalid value for --status: "lost"'],
    notFound: otherWorkspace,
  },
  agent: {
    stdout: /^Claude Code: run\n\nclaude mcp add svc-emulator -- npx -y svc-emulator mcp\n/,
    jsonFields: ['clients', 'skill'],
    invalid: [['setup'], `${tooMany}expected none, got 1.`],
    needsNoEmulator: true,
  },
  explain: {
    args: ({ delivery }) => [delivery],
    stdout: /^Cause +delivered\n.*\nDelivery +del_/,
    jsonFields: ['delivery', 'attempt', 'cause', 'hints'],
    invalid: [['--attempt', '0'], 'Invalid value for --attempt: "0"'],
    notFound: [`del_${UNKNOWN_ID}`],
  },
  'deliveries get': {
    args: ({ delivery }) => [delivery],
    stdout: /^Delivery +del_[\s\S]*Attempt 1 +✓ 200[\s\S]*Signed string\n {2}\d{4}-/,
    jsonFields: ['id', 'status', 'attempts'],
    invalid: [[], 'Missing argument: <id>'],
    notFound: [`del_${UNKNOWN_ID}`],
  },
  'deliveries replay': {
    args: ({ delivery }) => [delivery, '--wait'],
    stdout: /^ID +STATUS[\s\S]*del_\w+ +✓ succeeded/,
    jsonFields: ['id', 'status', 'attempt_count'],
    invalid: [['del_1', '--failed'], '<ids> and --failed cannot be used together.'],
    notFound: [`del_${UNKNOWN_ID}`],
  },
  'deliveries wait': {
    args: ({ event }) => ['--event', event, '--status', 'succeeded'],
    stdout: /^ID +STATUS[\s\S]*del_\w+ +✓ succeeded/,
    jsonFields: page,
    invalid: [['--status', 'pending'], 'Invalid value for --status: "pending"'],
    notFound: ['--event', `evt_${UNKNOWN_ID}`],
  },
  'deliveries export': {
    args: ({ delivery }) => [delivery],
    stdout: /^\{"id":"del_\w+",.*\}\n$/,
    jsonFields: ['id', 'attempts', 'body'],
    invalid: [['--status', 'lost'], 'Invalid value for --status: "lost"'],
    notFound: [`del_${UNKNOWN_ID}`],
  },
  'clock show': {
    stdout: /^Workspace +ws_[\s\S]*frozen/,
    jsonFields: clock,
    invalid: [['now'], tooMany],
    notFound: otherWorkspace,
  },
  'clock speed': {
    args: ['60'],
    stdout: /^Workspace +ws_/,
    jsonFields: clock,
    invalid: [['fast'], 'Invalid value for speed: "fast"'],
    notFound: ['60', ...otherWorkspace],
  },
  'clock freeze': {
    stdout: /Speed +frozen/,
    jsonFields: clock,
    invalid: [['now'], tooMany],
    notFound: otherWorkspace,
  },
  'clock advance': {
    args: ['5m'],
    stdout: /Schedule time/,
    jsonFields: move,
    invalid: [['far'], 'Invalid value for duration: "far"'],
    notFound: ['5m', ...otherWorkspace],
  },
  'clock next': {
    stdout: /Pending +0 deliveries/,
    jsonFields: move,
    invalid: [['now'], tooMany],
    notFound: otherWorkspace,
  },
  'clock settle': {
    stdout: /Pending +0 deliveries/,
    jsonFields: move,
    invalid: [['now'], tooMany],
    notFound: otherWorkspace,
  },
  'clock resume': {
    stdout: /Speed +60×/,
    jsonFields: clock,
    invalid: [['now'], tooMany],
    notFound: otherWorkspace,
  },
  'events list': {
    args: ['--type', 'order.shipped'],
    stdout: /^ID +TYPE +CREATED(?: \(SCHEDULE\))? +PAYLOAD\nevt_\w+ +order\.shipped/,
    jsonFields: page,
    invalid: [['--limit', '101'], 'Invalid value for --limit: "101"'],
    notFound: otherWorkspace,
  },
  'events get': {
    args: ({ event }) => [event],
    stdout: /^\{\n {2}"id": "evt_/,
    jsonFields: ['id', 'workspace_id', 'type', 'payload', 'created_at'],
    invalid: [[], 'Missing argument: <id>'],
    notFound: [`evt_${UNKNOWN_ID}`],
  },
  'events create': {
    args: ['order.created'],
    stdout: /evt_\w+/,
    jsonFields: ['id', 'type', 'payload'],
    invalid: [[], 'Missing argument: <type>'],
    notFound: ['order.created', ...otherWorkspace],
  },
  'events import': {
    args: [join(import.meta.dirname, 'recording.ndjson')],
    stdout: /^Imported 1 event\.\n$/,
    jsonFields: ['imported', 'total', 'repeated', 'other', 'events'],
    invalid: [[], 'Missing argument: <file>'],
    notFound: [join(import.meta.dirname, 'recording.ndjson'), ...otherWorkspace],
  },
  'webhooks list': {
    stdout: /^ID +URL +EVENTS/,
    jsonFields: page,
    invalid: [['--limit', '0'], 'Invalid value for --limit: "0"'],
    notFound: otherWorkspace,
  },
  'webhooks get': {
    args: ({ webhook }) => [webhook, '--show-secret'],
    stdout: /^ID +wh_/,
    jsonFields: ['id', 'url', 'events', 'disabled', 'secret', 'previous_secret'],
    invalid: [['a', 'b'], tooMany],
    notFound: [`wh_${UNKNOWN_ID}`],
  },
  'webhooks create': {
    args: ({ receiver }) => ['--url', `${receiver}/created`, '--events', 'a.b,c.d'],
    stdout: /Secret +whsec_/,
    stderr: /^Show the secret again with: svc webhooks get wh_\w+ --show-secret$/,
    jsonFields: ['id', 'url', 'events', 'secret'],
    invalid: [['--url', 'ftp://a', '--events', 'a.b'], 'Invalid value for --url: "ftp://a"'],
    notFound: ['--url', 'https://example.com', '--events', 'a.b', ...otherWorkspace],
  },
  'webhooks update': {
    args: async ({ createWebhook }) => [await createWebhook(), '--events', 'c.d'],
    stdout: /Events +c\.d/,
    jsonFields: ['id', 'events'],
    invalid: [['wh_1'], 'Nothing to update: no option was passed.'],
    notFound: [`wh_${UNKNOWN_ID}`, '--disable'],
  },
  'webhooks delete': {
    args: async ({ createWebhook }) => [await createWebhook()],
    stdout: /^Deleted wh_\w+ and canceled 0 deliveries\./,
    jsonFields: ['id', 'deleted', 'canceled_deliveries'],
    invalid: [[], 'Missing argument: '],
    notFound: [`wh_${UNKNOWN_ID}`],
  },
  'webhooks rotate-secret': {
    args: async ({ createWebhook }) => [await createWebhook()],
    stdout: /Secret +whsec_/,
    stderr: /^Show the secret again with: svc webhooks get wh_\w+ --show-secret$/,
    jsonFields: ['id', 'secret', 'previous_secret_expires_at'],
    invalid: [['wh_1', '--overlap', 'long'], 'Invalid value for --overlap: "long"'],
    notFound: [`wh_${UNKNOWN_ID}`],
  },
  'workspaces list': {
    stdout: /^ID +NAME/,
    jsonFields: page,
    invalid: [['--limit', 'x'], 'Invalid value for --limit: "x"'],
  },
  'workspaces get': {
    args: ({ workspace }) => [workspace],
    stdout: /^ID +ws_\w+\nName +/,
    jsonFields: ['id', 'name', 'environment', 'created_at'],
    invalid: [['a', 'b'], tooMany],
    notFound: [`ws_${UNKNOWN_ID}`],
  },
  'workspaces create': {
    args: ['Team A'],
    stdout: /^ID +ws_\w+\nName +Team A/,
    stderr: /^hint: Create an API key for it with: svc keys create --workspace ws_\w+$/,
    jsonFields: ['id', 'name'],
    invalid: [[''], 'Invalid value for name: ""'],
  },
  'keys list': {
    stdout: /^ID +NAME +KEY +SCOPES/,
    jsonFields: page,
    invalid: [['x'], tooMany],
    notFound: otherWorkspace,
  },
  'keys create': {
    args: ['--name', 'reader', '--scopes', 'events:read'],
    stdout: /^Name +reader\nKey +svc_test_[\w-]+/m,
    stderr: /^Copy the key now\. It is not shown again\.$/,
    jsonFields: ['id', 'name', 'key', 'scopes', 'workspace_id', 'created_at'],
    invalid: [['--scopes', 'everything'], 'Invalid value for --scopes: "everything"'],
    notFound: ['--scopes', 'events:read', ...otherWorkspace],
  },
  'keys revoke': {
    args: async ({ createKey }) => [await createKey()],
    stdout: /^Revoked key_\w+\./,
    jsonFields: ['id', 'revoked_at'],
    invalid: [[], 'Missing argument: <id>'],
    notFound: [`key_${UNKNOWN_ID}`],
  },
  'faults add': {
    args: ['--kind', 'duplicate', '--type', 'never.sent'],
    stdout: /^Added flt_\w+: duplicate\./,
    jsonFields: ['id', 'on', 'kind', 'applied_count'],
    invalid: [['--kind', 'none'], 'Invalid value for --kind: "none"'],
    notFound: ['--kind', 'drop', ...otherWorkspace],
  },
  'faults list': {
    stdout: /^ID +FAULT +ON +APPLIED/,
    jsonFields: page,
    invalid: [['x'], tooMany],
    notFound: otherWorkspace,
  },
  'faults clear': {
    args: ({ workspace }) => ['--workspace', workspace],
    stdout: /^Removed \d+ faults?\./,
    jsonFields: ['cleared'],
    invalid: [['a', 'b'], tooMany],
    notFound: [`flt_${UNKNOWN_ID}`],
  },
  'logs list': {
    args: ['--method', 'POST'],
    stdout: /^AT +METHOD +PATH +STATUS[\s\S]*POST +\/v1\/events +201/,
    jsonFields: page,
    invalid: [['--status', '600'], 'Invalid value for --status: "600"'],
    notFound: otherWorkspace,
  },
  'logs get': {
    args: ({ request }) => [request],
    stdout: /^Request +req_\w+[\s\S]*\n {2}POST \/v1\/events\n[\s\S]*"type": "order.shipped"/,
    jsonFields: ['id', 'request', 'response'],
    invalid: [['a', 'b'], tooMany],
    notFound: [`req_${UNKNOWN_ID}`],
  },
  'fixtures list': {
    stdout:
      /^NAME +KIND +FROM +DESCRIPTION\n[\s\S]*order\.shipped +event +built-in[\s\S]*order-lifecycle +script/,
    jsonFields: page,
    invalid: [['now'], tooMany],
    needsNoEmulator: true,
  },
  'fixtures show': {
    args: ['order.shipped'],
    stdout: /^\{\n {2}"description": "An order was handed/,
    jsonFields: ['name', 'kind', 'source', 'overrides', 'file', 'content'],
    invalid: [[], 'Missing argument: <name>'],
    notFound: [UNKNOWN_ID],
    needsNoEmulator: true,
  },
  'fixtures run': {
    args: ['order-lifecycle'],
    stdout: /^✓ created +order\.created +evt_\w+\n +del_[\s\S]*✓ expect +every delivery: succeeded\n$/,
    jsonFields: ['script', 'file', 'ok', 'steps'],
    invalid: [[], 'Missing argument: <script>'],
    notFound: ['order-lifecycle', ...otherWorkspace],
  },
  'fixtures import': {
    args: [join(import.meta.dirname, 'recording.har'), '--yes'],
    stdout: /^Wrote 1 fixture to \S+\/fixtures\/events\.\n$/,
    stderr: /^parcel\.lost {2}2026-11-20T12:00:02\.000Z {2}\S+recording\.har, entry 2$/,
    jsonFields: ['fixtures'],
    invalid: [['nowhere.har'], 'The file '],
    needsNoEmulator: true,
  },
  'fixtures validate': {
    stdout: /^Checked \d+ files and found no problems\.\n$/,
    jsonFields: ['ok', 'checked', 'problems'],
    invalid: [['nowhere.json'], 'Too many arguments'],
    needsNoEmulator: true,
  },
  verify: {
    args: ({ delivery, secret }) => ['--delivery', delivery, '--secret', secret],
    stdout: /^valid /,
    jsonFields: ['ok', 'reason', 'detail', 'remedy', 'scheme'],
    invalid: [['--secret', 'a'], 'Nothing to verify: '],
    notFound: ['--delivery', `del_${UNKNOWN_ID}`, '--secret', 'a'],
  },
  sign: {
    args: payload,
    stdout: /^Service-Signature: v1=[0-9a-f]{64}\nService-Timestamp: /,
    jsonFields: ['headers', 'timestamp', 'signed_content'],
    invalid: [['--payload', '{}'], 'The secret is missing: neither --secret'],
    needsNoEmulator: true,
  },
  'receiver check': {
    args: ({ receiver, secret }) => [receiver, '--secret', secret, '--rule', 'robustness'],
    // This receiver accepts everything, so its responses say little.
    stdout:
      /^STATUS +CHECK[\s\S]*✓ passed +robustness\.at-once .*\n\n1 passed, 0 failed, 5 inconclusive\.\n[\s\S]*because signature\.other-secret did not pass/,
    jsonFields: ['ok', 'passed', 'failed', 'inconclusive', 'checks'],
    invalid: [['--secret', 'a'], 'Missing argument: <url>'],
    needsNoEmulator: true,
  },
  'receiver fuzz': {
    args: ({ receiver, secret }) => [
      ...[receiver, '--secret', secret, '--runs', '2', '--random-seed', '1', '--only', 'duplicate'],
    ],
    stdout:
      /^Played 2 sequences with \d+ deliver(?:y|ies) in \S+, random seed 1\. None broke a rule\.\nSide effects were not observed/,
    jsonFields: [
      'ok',
      'interrupted',
      'random_seed',
      'runs',
      'requests',
      'duration_ms',
      'side_effects',
      'variations',
      'failure',
    ],
    invalid: [['--secret', 'a'], 'Missing argument: <url>'],
    needsNoEmulator: true,
  },
  'receiver example': {
    args: ['--framework', 'express'],
    stdout: /^\/\/ receiver\.mjs\n[\s\S]*express\.raw[\s\S]*\/\/ deliveries\.mjs\n[\s\S]*timingSafeEqual/,
    jsonFields: ['framework', 'packages', 'install', 'start', 'files'],
    invalid: [[], 'Missing option: --framework'],
    needsNoEmulator: true,
  },
  env: {
    stdout: /^export SVC_BASE_URL=http[\s\S]*export SVC_API_KEY=svc_test_/,
    jsonFields: ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_WORKSPACE_ID', 'SVC_CONTROL_URL', 'SVC_WEBHOOK_SECRET'],
    invalid: [['--format', 'xml'], 'Invalid value for --format: "xml"'],
  },
  open: {
    args: ['--print'],
    stdout: /^http:\/\/127\.0\.0\.1:\d+\/\n$/,
    jsonFields: ['url'],
    invalid: [['ws_1'], 'Too many arguments'],
  },
  completion: {
    args: ['bash'],
    stdout: /^# Completion of svc in bash[\s\S]*\ncomplete .*-F _svc svc\n$/,
    jsonFields: ['shell', 'script'],
    invalid: [['csh'], 'Invalid value for shell: "csh"'],
    needsNoEmulator: true,
  },
  'gaps list': {
    stdout: /^\S+ .*[\s\S]*retry\.schedule/,
    jsonFields: ['data'],
    invalid: [['now'], tooMany],
    needsNoEmulator: true,
  },
  'gaps check': {
    args: [join(import.meta.dirname, 'recording.har')],
    stdout:
      /^GAP +RESULT[\s\S]*event\.body +✓ confirmed +payload +payload[\s\S]*\n0 different, \d+ confirmed, \d+ without evidence/,
    jsonFields: ['data', 'other', 'notes', 'requests', 'deliveries', 'skipped'],
    invalid: [[], 'Missing argument: <files>'],
    needsNoEmulator: true,
  },
  config: {
    stdout: /^SETTING +VALUE/,
    jsonFields: ['data'],
    invalid: [['now'], tooMany],
    needsNoEmulator: true,
  },
};
