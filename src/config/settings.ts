/** Defines every setting: name, accepted values and default. */
import * as v from 'valibot';
import { LAST_SCHEDULE_TIME } from '../domain/clock.ts';
import { type Environment, environments, isControlToken } from '../domain/credentials.ts';
import { parseTime } from '../domain/duration.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { isHttpUrl, parseHostName, parseUrl } from '../domain/http-url.ts';
import { describeAcceptedId, idPatterns } from '../domain/ids.ts';
import { isObject } from '../domain/json.ts';
import { defaultRetentionLimits } from '../domain/retention-limits.ts';
import { toForwardUrl } from '../domain/webhook-url.ts';
import { profileNames } from '../profile/gap.ts';
import type { Overrides } from '../profile/resolve-rules.ts';
import { senderNames } from '../profile/senders.ts';
import { toSnakeCase } from '../resources/configured-value.ts';
import { accept, listOf, parsedText, Speed, text, wholeNumber } from '../resources/value-schemas.ts';
import { type CustomSenders, customSenders } from './custom-senders.ts';

export interface Setting<T = unknown, Default = unknown> {
  /** For `--help` and `svc config`. */
  readonly description: string;
  readonly schema: v.GenericSchema<unknown, T>;
  /** Default: null. `<environment>` in a text stands for the name of the environment. */
  readonly defaultValue?: Default;
  /** Name of the option, where it differs from the name of the setting. */
  readonly option?: string;
  /**
   * Whether it is a path. A path in a configuration file is relative to the file, a default to the project folder, and any other
   * to the working folder.
   */
  readonly isPath?: boolean;
  /** Whether `svc config` masks it and errors omit it. */
  readonly isSecret?: boolean;
  /** Only the file can set it: its values are too complex for an option or a variable. */
  readonly isFileOnly?: boolean;
}

/** Completes a port or an address to a URL. */
function toEmulatorUrl(text: string): string | null {
  const url = toForwardUrl(text);
  return url !== null && isHttpUrl(url) ? url : null;
}

function optionalPath(description: string) {
  return { description, schema: text('a file path'), isPath: true } as const;
}

function flag(description: string) {
  return { description, schema: v.boolean(), defaultValue: false } as const;
}

/** In the order of `svc config`. `environment` is first, because the default of `db` depends on it. */
export const settings = {
  environment: {
    description: 'Environment to emulate',
    schema: v.picklist(environments),
    defaultValue: 'sandbox' as Environment,
  },
  profile: {
    description: 'Profile for behavior that the service description leaves open',
    schema: v.picklist(profileNames),
    defaultValue: 'relaxed' as const,
  },
  host: {
    description: 'Address to listen on',
    // A name is resolved later.
    schema: text('a host name or address', (host) => /^[^\s\p{Cc}/?#@\\[\]]+$/u.test(host)),
    defaultValue: '127.0.0.1',
  },
  port: {
    description: 'Port to listen on; 0 for any free port',
    schema: wholeNumber(0, 65_535),
    defaultValue: 4777,
  },
  db: {
    description: 'Database file, or :memory:',
    schema: text('a file path, or ":memory:"'),
    defaultValue: '.svc/<environment>.db',
    isPath: true,
  },
  seed: optionalPath('JSON or YAML file with the initial state of a new database'),
  speed: {
    description: 'Seconds of schedule time per second of real time',
    schema: Speed,
    defaultValue: 1,
  },
  freeze: flag('Start with the schedule clock frozen'),
  randomSeed: {
    description: 'Seed that makes IDs, secrets and jitter the same in every run',
    schema: wholeNumber(0, 2 ** 32 - 1),
  },
  wallClock: {
    description: 'Pin the wall clock to this time, so that signatures stay the same',
    schema: parsedText('an ISO 8601 time such as 2026-11-20T12:00:00Z', parseWallClock),
  },
  keepDays: {
    description: 'Days after which events without pending deliveries are removed',
    schema: wholeNumber(1, 36_500),
    defaultValue: defaultRetentionLimits.days,
  },
  keepMegabytes: {
    description:
      'Database size in megabytes above which the oldest events without pending deliveries are removed',
    schema: wholeNumber(1, 1_000_000),
    defaultValue: defaultRetentionLimits.megabytes,
  },
  forwardTo: {
    description: 'Port or URL of your receiver, to register as an endpoint on startup',
    schema: parsedText('a port or a URL such as 3000, localhost:3000/webhooks or http://app', toForwardUrl),
  },
  events: {
    description: 'Event types of the --forward-to endpoint, separated by commas',
    schema: listOf(text('an event type such as "order.shipped", or "*"', isSubscription)),
    defaultValue: [WILDCARD_SUBSCRIPTION] as readonly string[],
  },
  envFile: {
    description: 'File to write the environment variables to (see svc env)',
    schema: text('a file path'),
    option: 'writeEnv',
    isPath: true,
  },
  https: flag('Serve HTTPS with a generated certificate'),
  allowHost: {
    description:
      'Additional host names that /v1 accepts, separated by commas, without ports, such as host.docker.internal',
    schema: listOf(parsedText('a host name or address without a port', parseHostName)),
    defaultValue: [] as readonly string[],
  },
  publicUrl: {
    description: 'Public URL of your own proxy or tunnel that forwards to the emulator',
    schema: parsedText('a URL without a query, such as https://svc.example.com', parsePublicUrl),
  },
  tunnel: flag('Make the API public through cloudflared, which must be installed'),
  open: flag('Open the dashboard in the browser'),
  proxy: {
    description: 'Proxy URL for deliveries to public receivers',
    schema: text(
      'a URL such as http://127.0.0.1:3128',
      (url) => /^http:\/\//.test(url) && parseUrl(url) !== null,
    ),
  },
  ca: optionalPath('PEM file with a certificate authority to trust'),
  controlUrl: {
    description: 'Emulator that commands use',
    schema: parsedText('a port or a URL such as 4777 or http://127.0.0.1:4777', toEmulatorUrl),
    option: 'url',
  },
  controlToken: {
    description: 'Token for the control plane: commands send it, and an emulator started with it requires it',
    schema: text('at least 16 characters of A-Z, a-z, 0-9, "-", ".", "_" and "~"', isControlToken),
    isSecret: true,
  },
  apiKey: {
    description: 'API key that commands use',
    schema: text('an API key'),
    isSecret: true,
  },
  workspaceId: {
    description: 'Workspace that commands use',
    schema: text(describeAcceptedId('workspace'), (id) => idPatterns.workspace.test(id)),
    option: 'workspace',
  },
  overrides: {
    description: 'Values of the gap register that differ from the profile; see svc gaps',
    schema: accept<Overrides>('an object whose keys are gap IDs (see svc gaps)', isObject),
    defaultValue: {},
    isFileOnly: true,
  },
  senders: {
    description: 'Your own senders; see docs/senders.md',
    schema: customSenders,
    defaultValue: {} as CustomSenders,
    isFileOnly: true,
  },
  sender: {
    description: `Whose webhooks to deliver: ${senderNames.join(', ')}, or one of your own senders`,
    schema: text('the name of a sender'),
    defaultValue: 'svc',
  },
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

export const settingNames = Object.keys(settings) as SettingName[];

type ValueOf<S extends Setting> =
  | v.InferOutput<S['schema']>
  | (S extends { readonly defaultValue: infer Default } ? Default : null);

/** The value of every setting. Paths are absolute. */
export type ConfigValues = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]> };

export function getDefaultValue(name: SettingName, environment: Environment): unknown {
  const { defaultValue = null }: Setting = settings[name];
  return typeof defaultValue === 'string' ? defaultValue.replace('<environment>', environment) : defaultValue;
}

/** `randomSeed` is the variable `SVC_RANDOM_SEED`. */
export function toVariable(name: string): string {
  return `SVC_${toSnakeCase(name).toUpperCase()}`;
}

/** The variables that svc reads, and those that it sets for other programs. */
export const variableNames: ReadonlySet<string> = new Set([
  ...settingNames.filter((name) => !(settings[name] as Setting).isFileOnly).map(toVariable),
  'SVC_BASE_URL',
  'SVC_WEBHOOK_SECRET',
  'SVC_TRUST_FOLDERS',
]);

/** `randomSeed` is the option `--random-seed`. */
export function toOption(name: SettingName): string {
  const { option = name }: Setting = settings[name];
  return `--${toSnakeCase(option).replaceAll('_', '-')}`;
}

function parseWallClock(text: string): string | null {
  const at = parseTime(text);
  return at >= 0 && at <= LAST_SCHEDULE_TIME ? new Date(at).toISOString() : null;
}

function isSubscription(type: string): boolean {
  return type === WILDCARD_SUBSCRIPTION || isEventType(type);
}

/** Clients append paths to the URL, so it has no query, no fragment and no user name. */
function parsePublicUrl(text: string): string | null {
  const url = /^https?:\/\/[^@?#]+$/.test(text) ? parseUrl(text) : null;
  return url === null ? null : url.href.replace(/\/+$/, '');
}
