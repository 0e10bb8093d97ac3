/**
 * What users and their scripts may rely on: every command, with the options that are promised for it. A command may
 * have more; nothing of this may go away.
 */
const deliveryFilter = ['--status', '--event', '--type', '--webhook', '--text', '--since'];
const page = ['--limit', '--starting-after'];
const requestFilter = ['--method', '--path', '--status', '--key', '--request', '--slower-than'];

const start = [
  ...['--port', '--host', '--db', '--environment', '--profile', '--speed', '--freeze', '--seed'],
  ...[
    '--forward-to',
    '--events',
    '--https',
    '--tunnel',
    '--public-url',
    '--allow-host',
    '--open',
    '--detach',
  ],
  ...['--env-file', '--random-seed', '--keep-days', '--keep-requests', '--keep-megabytes'],
];

export const globalOptions = ['--json', '--no-color', '--url', '--api-key'];

export const promised: Readonly<Record<string, readonly string[]>> = {
  'emulator start': start,
  'emulator stop': [],
  'emulator status': [],
  'emulator wait': ['--timeout'],
  'emulator reset': [],
  'emulator restore': [],
  'emulator exec': [
    // It ends with its command, which has its variables, and nobody looks at it meanwhile.
    ...start.filter((option) => !['--detach', '--env-file', '--open'].includes(option)),
    ...['--require-settled', '--expect-failed', '--junit', '--log'],
  ],
  'emulator snapshot save': [],
  'emulator snapshot load': [],
  env: ['--format'],
  trigger: [
    ...['--data', '--override', '--add', '--remove', '--count', '--rate', '--workspace'],
    ...['--idempotency-key', '--random-seed', '--wait'],
  ],
  listen: [
    ...['--forward-to', '--events', '-e', '--headers', '-H', '--skip-verify', '--print-secret'],
    ...['--format', '--keep'],
  ],
  'events list': page,
  'events get': [],
  'events create': [],
  'webhooks list': page,
  'webhooks get': [],
  'webhooks create': ['--url', '--events'],
  'webhooks update': ['--url', '--events'],
  'webhooks delete': ['--yes'],
  'webhooks rotate-secret': [],
  'workspaces list': page,
  'workspaces get': [],
  'workspaces create': [],
  'keys list': page,
  'keys create': ['--scopes', '--workspace', '--all-workspaces'],
  'keys revoke': ['--yes'],
  'deliveries list': [...deliveryFilter, '--until', ...page],
  'deliveries get': ['--no-pager'],
  'deliveries tail': deliveryFilter,
  'deliveries replay': ['--failed', '--since', '--to', '--edit', '--new-id', '--wait', '--yes'],
  'deliveries wait': [...deliveryFilter, '--timeout'],
  'logs list': [...requestFilter, ...page],
  'logs tail': requestFilter,
  verify: [
    ...['--secret', '--payload', '--signature', '--timestamp', '--id', '--tolerance', '--now'],
    ...['--scheme', '--delivery', '--request', '--computed'],
  ],
  sign: ['--payload', '--secret', '--at', '--curl'],
  'clock show': [],
  'clock speed': [],
  'clock freeze': [],
  'clock resume': [],
  'clock advance': [],
  'clock next': [],
  'clock settle': [],
  'faults add': [...['--on', '--method', '--path', '--status', '--latency', '--count'], ...['--kind']],
  'faults list': [],
  'faults clear': [],
  'receiver check': ['--secret', '--format', '--rule', '--observe'],
  'receiver example': ['--framework'],
  'fixtures list': [],
  'fixtures show': [],
  'fixtures run': ['--dry-run', '--keep', '--workspace', '--random-seed'],
  'fixtures types': ['--open'],
  'fixtures validate': [],
  gaps: [],
  config: [],
  open: [],
  completion: [],
  doctor: [],
};
