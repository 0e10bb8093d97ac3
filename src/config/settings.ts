/** Defines every setting: name, accepted values and default. */

import { LAST_SCHEDULE_TIME } from '../domain/clock.ts';
import { isControlToken } from '../domain/control-token.ts';
import type { Environment } from '../domain/environment.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { toForwardUrl } from '../domain/forward-url.ts';
import { parseHostName } from '../domain/host-name.ts';
import { parseUrl } from '../domain/http-url.ts';
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
  /** The default value; null when there is none. */
  readonly defaultValue: (environment: Environment) => Fallback;
  /** Name of the option, where it differs from the name of the setting. */
  readonly option?: string;
  /** Converts the text of a variable or an option to the type of the value in the file. */
  readonly fromText?: (text: string) => unknown;
  /** A path, relative to the configuration file that contains it, otherwise to the working folder. */
  readonly isPath?: boolean;
  readonly isSecret?: boolean;
  /** Converts a value back to its form in the file, if that differs. */
  toWritten?(value: T | Fallback): unknown;
  /** Only the file can set it: its values are too complex for an option or a variable. */
  readonly isFileOnly?: boolean;
}

const none = () => null;

/** In the order of `svc config`. */
export const settings = {
  environment: {
    description: 'Environment to emulate',
    schema: oneOf({ sandbox: 'keys svc_test_…', production: 'keys svc_live_…' }),
    defaultValue: (): Environment => 'sandbox',
  },
  profile: {
    description: 'Profile: answers to the questions that the service description leaves open',
    schema: oneOf({ relaxed: 'for development and CI', strict: 'as close to production as possible' }),
    defaultValue: () => 'relaxed' as const,
  },
  host: {
    description: 'Address to listen on',
    schema: text('a host name or address'),
    defaultValue: () => '127.0.0.1',
  },
  port: {
    description: 'Port to listen on; 0 for any free port',
    schema: wholeNumber(0, 65_535),
    defaultValue: () => 4777,
    fromText: toNumber,
  },
  db: {
    description: 'Database file, or :memory:',
    schema: text('the path of a file, or ":memory:"'),
    defaultValue: (environment) => `.svc/${environment}.db`,
    isPath: true,
  },
  seed: {
    description: 'JSON or YAML file with the initial state of a new database',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  speed: {
    description: 'Seconds of schedule time per second of real time',
    schema: number(0.001, 1_000_000),
    defaultValue: () => 1,
    fromText: toNumber,
  },
  freeze: {
    description: 'Start with the schedule clock frozen',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  randomSeed: {
    description: 'Number that makes IDs, secrets and jitter the same in every run',
    schema: wholeNumber(0, 4_294_967_295),
    defaultValue: none,
    fromText: toNumber,
  },
  wallClock: {
    description: 'Pin the wall clock to this time, so that signatures stay the same',
    schema: parsedText('an ISO 8601 time such as 2026-11-20T12:00:00Z', toIsoTime),
    defaultValue: none,
  },
  keepDays: {
    description: 'Days after which settled events are removed',
    schema: wholeNumber(1, 36_500),
    defaultValue: () => defaultRetentionLimits.days,
    fromText: toNumber,
  },
  keepRequests: {
    description: 'Number of requests that the request log keeps',
    schema: wholeNumber(1, 1_000_000_000),
    defaultValue: () => defaultRetentionLimits.requests,
    fromText: toNumber,
  },
  keepMegabytes: {
    description: 'Database size in megabytes above which the oldest settled events are removed',
    schema: wholeNumber(1, 1_000_000),
    defaultValue: () => defaultRetentionLimits.megabytes,
    fromText: toNumber,
  },
  forwardTo: {
    description: 'Port or URL of your receiver, to register as an endpoint at the start',
    schema: parsedText(
      'a port or a URL such as 3000, localhost:3000/webhooks or https://example.com',
      toForwardUrl,
    ),
    defaultValue: none,
  },
  events: {
    description: 'Event types of the --forward-to endpoint, separated by commas',
    schema: listOf(text('an event type such as "order.shipped", or "*"', isSubscription)),
    defaultValue: (): readonly string[] => [WILDCARD_SUBSCRIPTION],
    fromText: (list) => list.split(',').map((type) => type.trim()),
  },
  envFile: {
    description: 'File to write the variables of svc env to',
    schema: text('the path of a file'),
    defaultValue: none,
    option: 'writeEnv',
    isPath: true,
  },
  https: {
    description: 'Serve HTTPS with a generated certificate',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  cert: {
    description: 'PEM file with the certificate to serve HTTPS with',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  key: {
    description: 'PEM file with the private key of --cert',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  allowHost: {
    description: 'More host names that /v1 accepts, without ports, such as host.docker.internal',
    schema: listOf(parsedText('a host name or address without a port', parseHostName)),
    defaultValue: (): readonly string[] => [],
    fromText: (list) => list.split(',').map((host) => host.trim()),
  },
  publicUrl: {
    description: 'Public URL of your own proxy or tunnel that forwards to the emulator',
    schema: parsedText('a URL without a query such as https://svc.example.com', toPublicUrl),
    defaultValue: none,
  },
  tunnel: {
    description: 'Make the API public through cloudflared, which must be installed',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  open: {
    description: 'Open the dashboard in the browser',
    schema: trueOrFalse(),
    defaultValue: () => false,
    fromText: toBoolean,
  },
  proxy: {
    description:
      'Proxy URL for deliveries to public receivers, or env to use HTTPS_PROXY and similar variables',
    schema: text('"env" or a URL such as http://127.0.0.1:3128', isProxy),
    defaultValue: none,
  },
  ca: {
    description: 'PEM file with a certificate authority to trust',
    schema: text('the path of a file'),
    defaultValue: none,
    isPath: true,
  },
  controlUrl: {
    description: 'Emulator that commands use',
    schema: httpUrl('http://127.0.0.1:4777'),
    defaultValue: none,
    option: 'url',
  },
  controlToken: {
    description: 'Control token: commands send it; an emulator that starts with it requires it',
    schema: text('at least 16 characters of A-Z, a-z, 0-9, "-", ".", "_" and "~"', isControlToken),
    defaultValue: none,
    isSecret: true,
  },
  apiKey: {
    description: 'API key that commands use',
    schema: text('an API key'),
    defaultValue: none,
    isSecret: true,
  },
  workspaceId: {
    description: 'Workspace that commands use',
    schema: text('the id of a workspace'),
    defaultValue: none,
    option: 'workspace',
  },
  overrides: {
    description: 'Values of the gap register that differ from the profile; see svc gaps',
    schema: anyObject('an object with names of the gap register'),
    defaultValue: () => ({}),
    isFileOnly: true,
  },
  schemes: {
    description: 'Your own signature schemes; see docs/signatures.md',
    schema: customSchemes,
    defaultValue: (): CustomSchemes => ({}),
    isFileOnly: true,
    toWritten: toWrittenSchemes,
  },
  scheme: {
    description: `Signature scheme: ${schemeNames.join(', ')}, or one of your own schemes`,
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
  const { option = name }: Setting = settings[name];
  return `--${toSnakeCase(option).replaceAll('_', '-')}`;
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
  return written === 'env' || (/^http:\/\//.test(written) && parseUrl(written) !== null);
}

function toPublicUrl(written: string): string | null {
  const url = /^https?:\/\/[^@?#]+$/.test(written) ? parseUrl(written) : null;
  return url === null ? null : url.href.replace(/\/+$/, '');
}
