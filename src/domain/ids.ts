/** Generates, recognizes and describes IDs. */
import type { Hint } from './errors.ts';

/** Prefixes of the IDs of the service (§2) and of the records that only the emulator has. */
export const idPrefixes = {
  workspace: 'ws_',
  event: 'evt_',
  webhook: 'wh_',
  delivery: 'del_',
  request: 'req_',
  apiKey: 'key_',
  fault: 'flt_',
} as const;
export type IdKind = keyof typeof idPrefixes;

const idNouns: Readonly<Record<IdKind, string>> = {
  workspace: 'a workspace',
  event: 'an event',
  webhook: 'an endpoint',
  delivery: 'a delivery',
  request: 'a request',
  apiKey: 'an API key',
  fault: 'a fault',
};

const EXAMPLE_ULID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

export function toExampleId(kind: IdKind): string {
  return idPrefixes[kind] + EXAMPLE_ULID;
}

/** `an event ID such as evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D` */
export function describeAcceptedId(kind: IdKind): string {
  return `${idNouns[kind]} ID such as ${toExampleId(kind)}`;
}

/** The digits of Crockford base32, without the letters I, L, O and U. */
export const BASE32_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MAX_SHOWN_LENGTH = 64;
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
/** The time has 48 bits in 10 characters of 5 bits, so the first character is at most 7. */
const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const ULID_PATTERN = new RegExp(`^${ULID}$`);

/** The pattern of each kind of ID: its prefix and 26 characters of Crockford base32. */
export const idPatterns = Object.fromEntries(
  Object.entries(idPrefixes).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}${ULID}$`)]),
) as Readonly<Record<IdKind, RegExp>>;

/** Whether `text` is an ID of any kind. */
export function isId(text: string): boolean {
  return Object.values(idPatterns).some((pattern) => pattern.test(text));
}

/**
 * Describes an ID of another kind than expected: `evt_1 is an event ID; delivery IDs start with del_`, or one that was copied from
 * the docs: `del_… is a placeholder for a delivery ID`.
 * @returns null for other IDs, valid or not.
 */
export function describeIdMistake(id: string, expectedKind: IdKind): string | null {
  if (id.endsWith('…')) return `${formatIdForMessage(id)} is a placeholder for ${idNouns[expectedKind]} ID`;
  const kinds = Object.keys(idPrefixes) as IdKind[];
  const kind = kinds.find((candidate) => id.startsWith(idPrefixes[candidate]));
  if (kind === undefined || kind === expectedKind) return null;
  return `${formatIdForMessage(id)} is ${idNouns[kind]} ID; ${nounOf(expectedKind)} IDs start with ${idPrefixes[expectedKind]}`;
}

/** The commands that list each kind of ID, without `svc`. */
const listCommands: Readonly<Record<IdKind, string>> = {
  workspace: 'workspaces list',
  event: 'events list',
  webhook: 'webhooks list',
  delivery: 'deliveries list',
  request: 'logs list',
  apiKey: 'keys list',
  fault: 'faults list',
};

/** The option of a list that selects what belongs to another resource. */
const filterOptions: Readonly<Partial<Record<IdKind, Partial<Record<IdKind, string>>>>> = {
  event: { workspace: '--workspace' },
  webhook: { workspace: '--workspace' },
  delivery: { workspace: '--workspace', event: '--event', webhook: '--webhook' },
  request: { workspace: '--workspace', apiKey: '--key' },
  apiKey: { workspace: '--workspace' },
  fault: { workspace: '--workspace' },
};

/**
 * The hint for an ID that does not exist: the list of its kind. For an ID of another kind, what belongs to that resource, or the
 * resource itself.
 */
export function suggestWhereToLook(id: string, expectedKind: IdKind): Hint {
  const kind =
    (Object.keys(idPatterns) as IdKind[]).find((each) => idPatterns[each].test(id)) ?? expectedKind;
  const filterOption = filterOptions[expectedKind]?.[kind];
  if (filterOption !== undefined) {
    const command = `svc ${listCommands[expectedKind]} ${filterOption} ${id}`;
    return { text: `List its ${pluralOf(expectedKind)}`, command };
  }
  const list = `svc ${listCommands[kind]}`;
  return kind === expectedKind || kind === 'apiKey' || kind === 'fault'
    ? { text: `List the ${pluralOf(kind)}`, command: list }
    : { text: `Show the ${nounOf(kind)}`, command: `${list.replace('list', 'get')} ${id}` };
}

/** `delivery` */
export function nounOf(kind: IdKind): string {
  return idNouns[kind].replace(/^an? /, '');
}

/** `deliveries` */
export function pluralOf(kind: IdKind): string {
  return kind === 'delivery' ? 'deliveries' : `${nounOf(kind)}s`;
}

/** What is wrong with an ID that does not match the pattern of its kind, for a message that starts with the field. */
export function describeIdProblem(id: string, expectedKind: IdKind): string {
  const mistake = describeIdMistake(id, expectedKind);
  if (mistake !== null) return `is invalid: ${mistake}`;
  const form = `${idPrefixes[expectedKind]} followed by a ULID`;
  return `must be ${idNouns[expectedKind]} ID (${form}), not "${formatIdForMessage(id)}"`;
}

/** An ID that a client passed, which can be any text: limits its length, and escapes quotes and line breaks. */
export function formatIdForMessage(id: string): string {
  return JSON.stringify(id).slice(1, -1).slice(0, MAX_SHOWN_LENGTH);
}

/** Fills a buffer with random bytes; a run with a random seed has its own function. */
export type RandomFill = (buffer: Uint8Array<ArrayBuffer>) => Uint8Array;

/**
 * Generates IDs: a prefix and a ULID (gap `id.format`), so that IDs sort by creation time. Within one generator they also
 * sort when the given time stands still or goes back: the random part is then incremented.
 */
export class UlidGenerator {
  readonly #fill: RandomFill;
  /** Random bytes for the next IDs, so that not every ID needs a call of `fill`. */
  readonly #pool = new Uint8Array(RANDOM_CHARS * 256);
  #poolOffset = this.#pool.length;
  #lastMs = -1;
  /** Time of the next ID, unless it is created later. */
  #minMs = 0;
  /** The random part of the last ID, as base32 digits. */
  readonly #lastRandom = new Uint8Array(RANDOM_CHARS);
  #timeText = '';

  // The global `crypto`: importing node:crypto is costly at startup.
  constructor(fill: RandomFill = (buffer) => crypto.getRandomValues(buffer)) {
    this.#fill = fill;
  }

  /** A new ID of `kind`, created at `atMs` (milliseconds since 1970). */
  next(kind: IdKind, atMs: number): string {
    return idPrefixes[kind] + this.#ulid(Math.floor(atMs));
  }

  /** Makes later IDs sort after `id`, such as the newest stored one. */
  continueAfter(id: string): void {
    const ms = parseIdTime(id);
    if (ms !== null) this.#minMs = Math.max(this.#minMs, ms + 1);
  }

  #ulid(atMs: number): string {
    const ms = Math.max(atMs, this.#minMs);
    if (ms > this.#lastMs) this.#startAt(ms);
    else this.#increment();
    let text = this.#timeText;
    for (const digit of this.#lastRandom) text += BASE32_DIGITS[digit];
    return text;
  }

  #startAt(ms: number): void {
    this.#lastMs = ms;
    this.#timeText = encodeTime(ms);
    if (this.#poolOffset >= this.#pool.length) {
      this.#fill(this.#pool);
      this.#poolOffset = 0;
    }
    // Five bits of each byte, which is one digit.
    for (let i = 0; i < RANDOM_CHARS; i++) this.#lastRandom[i] = (this.#pool[this.#poolOffset++] ?? 0) & 31;
    // Clears the top bit, so that incrementing within the millisecond does not overflow.
    this.#lastRandom[0] = (this.#lastRandom[0] ?? 0) & 15;
  }

  #increment(): void {
    for (let i = RANDOM_CHARS - 1; i >= 0; i--) {
      const digit = this.#lastRandom[i] ?? 0;
      if (digit < 31) {
        this.#lastRandom[i] = digit + 1;
        return;
      }
      this.#lastRandom[i] = 0;
    }
  }
}

function encodeTime(ms: number): string {
  let text = '';
  for (let i = 0, rest = ms; i < TIME_CHARS; i++) {
    text = BASE32_DIGITS[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The creation time in an ID, in milliseconds since 1970; null if it does not end with a ULID. */
function parseIdTime(id: string): number | null {
  const ulid = id.slice(id.indexOf('_') + 1);
  if (!ULID_PATTERN.test(ulid)) return null;
  let ms = 0;
  for (const char of ulid.slice(0, TIME_CHARS)) ms = ms * 32 + BASE32_DIGITS.indexOf(char);
  return ms;
}
