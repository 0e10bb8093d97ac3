/** The texts that receivers sign instead of the timestamp of a delivery. */
import { formatTimestamp, parseTimestamp } from './signature-header.ts';

/** The name completes "the timestamp was …". */
type TimestampForm = readonly [name: string, timestamp: string];

/** Hours ahead of UTC, the time zones with the most people first. */
export const zoneOffsets = [
  ...[1, 2, -5, 5.5, 8, -8, -4, -6, -7, 9, 3, -3, 7, 10, 11, 4, 6, 5, 12, 13, -10, -9, 3.5, 4.5, 5.75, 6.5],
  ...[9.5, 10.5, -3.5, -2, -1, -11, -12, 14, -9.5],
];

/** `+05:30` */
export function formatOffset(hours: number): string {
  const minutes = Math.abs(hours) * 60;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${hours < 0 ? '-' : '+'}${digits.join(':')}`;
}

const HOUR_MS = 3_600_000;

/** The other forms of a timestamp, each with what makes another in the same form; the more common ones first. None if it is not a timestamp. */
export function listTimestampForms(
  text: string,
): (readonly [...TimestampForm, repeat: (other: string) => string])[] {
  const ms = parseTimestamp(text);
  if (ms === null) return [];
  const listed = new Set([text]);
  return listForms(ms).flatMap(([name, timestamp], index) => {
    if (listed.size === listed.add(timestamp).size) return [];
    const repeat = (other: string) =>
      other === text ? timestamp : (listForms(parseTimestamp(other) ?? ms)[index]?.[1] ?? timestamp);
    return [[name, timestamp, repeat] as const];
  });
}

/** All forms, in the same order for each time. */
function listForms(ms: number): TimestampForm[] {
  const iso = formatTimestamp('iso8601', ms);
  const toUnix = (time: number) => [formatTimestamp('unix', time), formatTimestamp('unix_ms', time)] as const;
  const [seconds, milliseconds] = toUnix(ms);
  const forms: readonly (readonly [name: string, ...timestamps: string[]])[] = [
    ['in seconds since 1970', seconds],
    ['in milliseconds since 1970', milliseconds],
    ['in ISO 8601 with milliseconds', new Date(ms).toISOString()],
    ['in ISO 8601 without milliseconds', iso],
    ['printed by a library', ...listPrintedForms(ms, 0)],
    ['in seconds since 1970, with a fraction', `${seconds}.0`],
    ['cut after the minutes', iso.slice(0, 16)],
    ['cut to the whole minute', `${iso.slice(0, 16)}:00Z`],
    ['printed as a Date of JavaScript', String(new Date(ms))],
    ...zoneOffsets.flatMap((hours) => [
      [`read in the time zone UTC${formatOffset(hours)}`, ...toUnix(ms - hours * HOUR_MS)] as const,
      [`printed in the time zone UTC${formatOffset(hours)}`, ...listPrintedForms(ms, hours)] as const,
    ]),
  ];
  return forms.flatMap(([name, ...timestamps]) => timestamps.map((timestamp) => [name, timestamp] as const));
}

/** As libraries print a time that they have parsed, in a time zone. */
function listPrintedForms(ms: number, hours: number): string[] {
  // The fields of a time zone without daylight-saving time are those of another time in UTC.
  const local = new Date(ms + hours * HOUR_MS);
  const [date = '', time = ''] = local.toISOString().slice(0, 19).split('T');
  const [year, month, day] = date.split('-');
  const offset = formatOffset(hours);
  const short = offset.replace(':', '');
  const printed = local.toUTCString().replace(/(\w+), (\d+) (\w+) (.*) GMT/, '$1 $3 $2 $4');
  const inZone = [
    `${date}T${time}${offset}`,
    `${date}T${time}`,
    `${date} ${time}`,
    `${date} ${time} ${short}`,
  ];
  if (hours !== 0) return inZone;
  return [
    `${date} ${time} +0000 UTC`,
    `${date} ${time} UTC`,
    `${date}T${time}.0000000Z`,
    local.toUTCString(),
    `${printed} GMT+0000 (Coordinated Universal Time)`,
    `${date}T${time}.000000Z`,
    // Java omits seconds that are zero.
    `${date}T${time.replace(/:00$/, '')}Z`,
    ...inZone,
    `${date} ${time}${offset}`,
    `${date}T${time}.0000000${offset}`,
    `${date}T${time}.000${offset}`,
    `${month}/${day}/${year} ${time}`,
    `${printed} GMT${short}`,
  ];
}

/** Values of a variable that was not set, such as that of a header with another name, and of a time that cannot be read. */
export const wrongTimestamps = ['undefined', '', 'null', 'None', 'nil', 'NaN', 'Invalid Date', '0', 'NaT'];

/** Limits the work for a receiver that responds slowly. */
const MAX_CURRENT_TIMES = 2_000;

/** The times at which the receiver may have signed its own current time. @param fromMs, toMs milliseconds since 1970 */
export function listCurrentTimes(fromMs: number, toMs: number): string[] {
  const times = Array.from(
    { length: Math.min(toMs - fromMs + 1, MAX_CURRENT_TIMES) },
    (_, index) => fromMs + index,
  );
  const seconds = [...new Set(times.map((ms) => Math.floor(ms / 1000) * 1000))];
  return [
    ...seconds.flatMap((ms) => [formatTimestamp('unix', ms), formatTimestamp('iso8601', ms)]),
    ...times.flatMap((ms) => [formatTimestamp('unix_ms', ms), new Date(ms).toISOString()]),
  ];
}
