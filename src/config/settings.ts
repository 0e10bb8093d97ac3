/** Every setting of the program: how it is called, what it accepts and what it is when nobody says. */

import { LAST_SCHEDULE_TIME } from '../domain/clock.ts';
import { isControlToken } from '../domain/control-token.ts';
import type { Environment } from '../domain/environment.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { toForwardUrl } from '../domain/forward-url.ts';
import { parseHostName } from '../domain/host-name.ts';
import { defaultRetentionLimits } from '../domain/retention-limits.ts';
import { schemeNames } from '../domain/signature/schemes.ts';
import {
  anyObject,
  httpUrl,
  listOf,
  number,
  oneOf,
  parsedText,
  text,
  trueOrFalse,
  type ValueSchema,
  wholeNumber,
} from '../profile/value-schema.ts';
import { type CustomSchemes, customSchemes, toWrittenSchemes } from './custom-schemes.ts';
import { toSnakeCase } from './snake-case.ts';

export interface Setting<T = unknown, Fallback = unknown> {
  /** For `--help` and `svc config`. */
  readonly description: string;
  readonly schema: ValueSchema<T>;
  /** The value when it is set nowhere; null where there is none. */
  readonly defaultValue: (environment: Environment) => Fallback;
  /** The option without its dashes, where it is not the name in kebab-case. */
  readonly option?: string;
  /** Reads a variable or an option, which are text, as the value of the file would be written. */
  readonly fromText?: (text: string) => unknown;
  /** A path: relative to the file that names it, otherwise to the working folder. */
  readonly isPath?: boolean;
  readonly isSecret?: boolean;
  /** As the value is written in the file, where that is not how it is read. */
  toWritten?(value: T | Fallback): unknown;
  /** Cannot be said in one word: neither an option nor a variable sets it. */
  readonly isFileOnly?: boolean;
}

const none = () => null;

/** In the order in which `svc config` shows them. */
export const settings = {
  environment: {
    description: 'which of the two environments is emulated',
    schema: oneOf({ sandbox: 'keys svc_test_…', production: 'keys svc_live_…' }),
    defaultValue: (): Environment => 'sandbox',
  },
  profile: {
    description: 'the answers where the service description is silent',
    schema: oneOf({ relaxed: 'made for a laptop', strict: 'as near to production as can be' }),
    defaultValue: () => 'relaxed' as const,
  },
  host: {
    description: 'address to listen on',
    schema: text('a host name or address'),
    defaultValue: () => '127.0.0.1',
  },
  port: {
    description: 'port to listen on; 0 is any free one',
    schema: wholeNumber(0, 65_535),
    defaultValue: () => 4777,
    fromText: toNumber,
  },
  db: {
    description: 'file of the database, or :memory:',
    schema: text('the path of a file, or ":memory:"'),
    defaultValue: (environment) => `.svc/${environment}.db`,
    isPath: true,
  },
  seed: {
    description: 'JSON or YAML file of what a new database begins with',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  speed: {
    description: 'schedule seconds per real second',
    schema: number(0.001, 1_000_000),
    defaultValue: () => 1,
    fromText: toNumber,
  },
  freeze: {
    description: 'start with the schedule clock stopped',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  randomSeed: {
    description: 'same ids, secrets and jitter on every run',
    schema: wholeNumber(0, 4_294_967_295),
    defaultValue: none,
    fromText: toNumber,
  },
  wallClock: {
    description: 'what the wall clock shows, always, for signatures that stay the same',
    schema: parsedText('an ISO 8601 time such as 2026-11-20T12:00:00Z', toIsoTime),
    defaultValue: none,
  },
  keepDays: {
    description: 'days after which settled events are removed (default: 30)',
    schema: wholeNumber(1, 36_500),
    defaultValue: () => defaultRetentionLimits.days,
    fromText: toNumber,
  },
  keepRequests: {
    description: 'requests of the log that are kept (default: 100000)',
    schema: wholeNumber(1, 1_000_000_000),
    defaultValue: () => defaultRetentionLimits.requests,
    fromText: toNumber,
  },
  keepMegabytes: {
    description: 'megabytes after which the oldest settled events are removed (default: 1024)',
    schema: wholeNumber(1, 1_000_000),
    defaultValue: () => defaultRetentionLimits.megabytes,
    fromText: toNumber,
  },
  forwardTo: {
    description: 'port or URL of your receiver, to register as an endpoint at boot',
    schema: parsedText(
      'a port or a URL such as 3000, localhost:3000/webhooks or https://example.com',
      toForwardUrl,
    ),
    defaultValue: none,
  },
  events: {
    description: 'event types of that endpoint',
    schema: listOf(text('an event type such as "order.shipped", or "*"', isSubscription)),
    defaultValue: (): readonly string[] => [WILDCARD_SUBSCRIPTION],
    fromText: (list) => list.split(',').map((type) => type.trim()),
  },
  envFile: {
    description: 'file to write the variables of `svc env` to',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  https: {
    description: 'serve HTTPS, with a certificate made for it',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  cert: {
    description: 'PEM file of a certificate to serve HTTPS with',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  key: {
    description: 'PEM file of the key of that certificate',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  allowHost: {
    description: 'more hosts that /v1 answers to, without ports, such as host.docker.internal',
    schema: listOf(parsedText('a host name or address without a port', parseHostName)),
    defaultValue: (): readonly string[] => [],
    fromText: (list) => list.split(',').map((host) => host.trim()),
  },
  publicUrl: {
    description: 'address of your own proxy or tunnel that leads to the emulator',
    schema: parsedText('a URL without a query such as https://svc.example.com', toPublicUrl),
    defaultValue: none,
  },
  tunnel: {
    description: 'make the API public by a tunnel of cloudflared, which must be installed',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  open: {
    description: 'open the dashboard in the browser',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  proxy: {
    description: 'proxy for public receivers; env takes that of the environment',
    schema: text('"env" or a URL such as http://127.0.0.1:3128', isProxy),
    defaultValue: none,
  },
  ca: {
    description: 'PEM file of a certificate authority to trust',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  controlUrl: {
    description: 'the emulator that commands talk to',
    schema: httpUrl('http://127.0.0.1:4777'),
    defaultValue: none,
    option: 'url',
  },
  controlToken: {
    description: 'token of the control plane: what commands send, and what an emulator asks for',
    schema: text('16 or more of A-Z, a-z, 0-9, "-", ".", "_" and "~"', isControlToken),
    defaultValue: none,
    isSecret: true,
  },
  apiKey: {
    description: 'key that commands use',
    schema: text('an API key'),
    defaultValue: none,
    isSecret: true,
  },
  workspaceId: {
    description: 'workspace that commands work in',
    schema: text('the id of a workspace'),
    defaultValue: none,
    option: 'workspace',
  },
  overrides: {
    description: 'rows of the gap register, see `svc gaps`',
    schema: anyObject('an object of rows of the gap register'),
    defaultValue: () => ({}),
    isFileOnly: true,
  },
  schemes: {
    description: 'signature schemes of your own, see docs/signatures.md',
    schema: customSchemes,
    defaultValue: (): CustomSchemes => ({}),
    isFileOnly: true,
    toWritten: toWrittenSchemes,
  },
  scheme: {
    description: `whose signatures: ${schemeNames.join(', ')}, or one of schemes`,
    schema: text('the name of a signature scheme'),
    defaultValue: () => 'svc',
  },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

export const settingNames = Object.keys(settings) as SettingName[];

type ValueOf<S> = S extends Setting<infer T, infer Fallback> ? T | Fallback : never;

/** The value of every setting. Paths are absolute. */
export type ConfigValues = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> };

/** `randomSeed` is the variable `SVC_RANDOM_SEED`. */
export function toVariable(name: string): string {
  return `SVC_${toSnakeCase(name).toUpperCase()}`;
}

/** `randomSeed` is the option `--random-seed`. */
export function toOption(name: SettingName): string {
  const { option }: Setting = settings[name];
  return `--${option ?? toSnakeCase(name).replaceAll('_', '-')}`;
}

function toNumber(written: string): unknown {
  const parsed = Number(written);
  return written.trim() === '' || Number.isNaN(parsed) ? written : parsed;
}

function toBoolean(written: string): unknown {
  if (written === 'true' || written === '1') return true;
  return written === 'false' || written === '0' ? false : written;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function toIsoTime(written: string): string | null {
  const at = ISO_TIME.test(written) ? Date.parse(written) : Number.NaN;
  return at >= 0 && at <= LAST_SCHEDULE_TIME ? new Date(at).toISOString() : null;
}

function isSubscription(type: string): boolean {
  return type === WILDCARD_SUBSCRIPTION || isEventType(type);
}

function isProxy(written: string): boolean {
  return written === 'env' || (/^http:\/\//.test(written) && URL.canParse(written));
}

function toPublicUrl(written: string): string | null {
  const isAddress = /^https?:\/\/[^@?#]+$/.test(written) && URL.canParse(written);
  return isAddress ? new URL(written).href.replace(/\/+$/, '') : null;
}
