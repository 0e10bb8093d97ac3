/** The texts that receivers sign instead of the timestamp of a delivery. */
import { formatTimestamp, parseTimestamp } from './signature-header.ts';

/** The name completes "the timestamp was …". The time is in milliseconds since 1970. */
type TimestampForm = readonly [name: string, write: (ms: number) => string];

/** Hours ahead of UTC, the time zones with the most people first. */
export const zoneOffsets = [
  ...[1, 2, -5, 5.5, 8, -8, -4, -6, -7, 9, 3, -3, 7, 10, 11, 4, 6, 5, 12, 13, -10, -9, 3.5, 4.5, 5.75, 6.5],
  ...[9.5, 10.5, -3.5, -2, -1, -11, -12, 14, -9.5],
];
export const HOUR_MS = 3_600_000;

/** `+05:30` */
export function formatOffset(hours: number): string {
  const minutes = Math.abs(hours) * 60;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${hours < 0 ? '-' : '+'}${digits.join(':')}`;
}

/** As libraries print a time in a time zone. */
const zoneTemplates = [
  '{date}T{time}{offset}',
  '{date}T{time}',
  '{date} {time}',
  '{date} {time} {short_offset}',
];
/** As libraries print a time in UTC: Go, Ruby, .NET, JavaScript, PHP and Java, which omits seconds that are zero. */
const utcTemplates = [
  ...['{date} {time} +0000 UTC', '{date} {time} UTC', '{date}T{time}.0000000Z', '{utc}'],
  ...['{words} GMT+0000 (Coordinated Universal Time)', '{date}T{time}.000000Z', '{date}T{short_time}Z'],
  ...zoneTemplates,
  ...[
    '{date} {time}{offset}',
    '{date}T{time}.0000000{offset}',
    '{date}T{time}.000{offset}',
    '{us_date} {time}',
  ],
];

function print(template: string, ms: number, hours = 0): string {
  // The fields of a time zone without daylight-saving time are those of another time in UTC.
  const local = new Date(ms + hours * HOUR_MS);
  const [date = '', time = ''] = local.toISOString().slice(0, 19).split('T');
  const offset = formatOffset(hours);
  const utc = local.toUTCString();
  const values: Readonly<Record<string, string>> = {
    date,
    time,
    offset,
    utc,
    short_offset: offset.replace(':', ''),
    short_time: time.replace(/:00$/, ''),
    us_date: date.replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1'),
    words: utc.replace(/(\w+), (\d+) (\w+) (.*) GMT/, '$1 $3 $2 $4'),
  };
  return template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The more common ones first. */
const timestampForms: readonly TimestampForm[] = [
  ['in seconds since 1970', (ms) => formatTimestamp('unix', ms)],
  ['in milliseconds since 1970', (ms) => formatTimestamp('unix_ms', ms)],
  ['in ISO 8601 with milliseconds', (ms) => new Date(ms).toISOString()],
  ['in ISO 8601 without milliseconds', (ms) => formatTimestamp('iso8601', ms)],
  ...utcTemplates.map((text): TimestampForm => ['printed by a library', (ms) => print(text, ms)]),
  ['in seconds since 1970, with a fraction', (ms) => `${formatTimestamp('unix', ms)}.0`],
  ['printed as a Date of JavaScript', (ms) => String(new Date(ms))],
  ...zoneOffsets.flatMap((hours) => [
    ...(['unix', 'unix_ms'] as const).map(
      (format): TimestampForm => [
        `read in the time zone UTC${formatOffset(hours)}`,
        (ms) => formatTimestamp(format, ms - hours * HOUR_MS),
      ],
    ),
    ...zoneTemplates.map(
      (text): TimestampForm => [
        `printed in the time zone UTC${formatOffset(hours)}`,
        (ms) => print(text, ms, hours),
      ],
    ),
  ]),
];

/** The other forms of a timestamp, each text once, with what makes another one in the same form. None if it is not a timestamp. */
export function listTimestampForms(text: string) {
  const ms = parseTimestamp(text);
  if (ms === null) return [];
  const listed = new Set([text]);
  return timestampForms.flatMap(([name, write]) => {
    const timestamp = write(ms);
    if (listed.size === listed.add(timestamp).size) return [];
    return [{ name, timestamp, repeat: (other: string) => write(parseTimestamp(other) ?? ms) }];
  });
}

/** Values of a variable that was not set, such as that of a header with another name, and of a time that cannot be read. */
export const wrongTimestamps = ['undefined', '', 'null', 'None', 'nil', 'NaN', 'Invalid Date', '0', 'NaT'];

/** Limits the work for a receiver that responds slowly. */
const MAX_CURRENT_TIMES = 2_000;

/** The times at which the receiver may have signed its own current time. @param fromMs, toMs milliseconds since 1970 */
export function listCurrentTimes(fromMs: number, toMs: number): string[] {
  const length = Math.min(toMs - fromMs + 1, MAX_CURRENT_TIMES);
  const times = Array.from({ length }, (_, index) => fromMs + index);
  return [
    ...new Set([
      ...times.flatMap((ms) => [formatTimestamp('unix', ms), formatTimestamp('iso8601', ms)]),
      ...times.flatMap((ms) => [formatTimestamp('unix_ms', ms), new Date(ms).toISOString()]),
    ]),
  ];
}
