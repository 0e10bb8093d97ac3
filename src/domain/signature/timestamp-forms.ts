/** The texts that receivers sign instead of the timestamp of a delivery. */
import { formatTimestamp, parseTimestamp } from './signature-header.ts';

export interface TimestampForm {
  /** Completes "the timestamp was …". */
  readonly name: string;
  readonly timestamp: string;
}

/** Hours ahead of UTC, the time zones with the most people first. */
export const zoneOffsets = [
  ...[1, 2, -5, 5.5, 8, -8, -4, -6, -7, 9, 3, -3, 7, 10, 11, 4, 6, 5, 12, 13, -10, -9, 3.5, 4.5, 5.75, 6.5],
  ...[9.5, 10.5, -3.5, -2, -1, -11, -12, 14, -9.5],
];

/** `UTC+05:30` */
export function formatZone(hours: number): string {
  return `UTC${formatOffset(hours)}`;
}

/** `+05:30` */
function formatOffset(hours: number): string {
  const minutes = Math.abs(hours) * 60;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${hours < 0 ? '-' : '+'}${digits.join(':')}`;
}

const HOUR_MS = 3_600_000;

/** The other forms of a timestamp, the more common ones first. None if it is not a timestamp. */
export function listTimestampForms(text: string): TimestampForm[] {
  const ms = parseTimestamp(text);
  if (ms === null) return [];
  const forms: TimestampForm[] = [
    ...[
      ['in seconds since 1970', formatTimestamp('unix', ms)],
      ['in milliseconds since 1970', formatTimestamp('unix_ms', ms)],
      ['in ISO 8601 with milliseconds', new Date(ms).toISOString()],
      ['in ISO 8601 without milliseconds', formatTimestamp('iso8601', ms)],
      ...listPrintedForms(ms, 0).map((printed) => ['printed by a library', printed]),
      ['in seconds since 1970, with a fraction', `${formatTimestamp('unix', ms)}.0`],
    ].map(([name = '', timestamp = '']) => ({ name, timestamp })),
    ...zoneOffsets.flatMap((hours) => {
      const zone = formatZone(hours);
      return [
        { name: `read in the time zone ${zone}`, timestamp: formatTimestamp('unix', ms - hours * HOUR_MS) },
        {
          name: `read in the time zone ${zone}`,
          timestamp: formatTimestamp('unix_ms', ms - hours * HOUR_MS),
        },
        ...listPrintedForms(ms, hours).map((timestamp) => ({
          name: `printed in the time zone ${zone}`,
          timestamp,
        })),
      ];
    }),
  ];
  return forms.filter(({ timestamp }) => timestamp !== text);
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** As libraries print a time that they have parsed, in a time zone. */
function listPrintedForms(ms: number, hours: number): string[] {
  // The fields of a time zone without daylight-saving time are those of another time in UTC.
  const local = new Date(ms + hours * HOUR_MS);
  const [date = '', time = ''] = local.toISOString().slice(0, 19).split('T');
  const [year, month, day] = date.split('-');
  const offset = formatOffset(hours);
  const short = offset.replace(':', '');
  const [, , monthName] = local.toUTCString().split(' ');
  const weekday = WEEKDAYS[local.getUTCDay()] ?? '';
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
    `${weekday.slice(0, 3)} ${monthName} ${day} ${year} ${time} GMT+0000 (Coordinated Universal Time)`,
    `${date}T${time}.000000Z`,
    // Java omits seconds that are zero.
    ...(time.endsWith(':00') ? [`${date}T${time.slice(0, -3)}Z`] : []),
    ...inZone,
    `${date} ${time}${offset}`,
    `${date}T${time}.0000000${offset}`,
    `${date}T${time}.000${offset}`,
    `${month}/${day}/${year} ${time}`,
    `${weekday.slice(0, 3)} ${monthName} ${day} ${year} ${time} GMT${short}`,
  ];
}

/** Values of a variable that was not set, such as that of a header with another name. */
export const missingTimestamps: readonly TimestampForm[] = ['undefined', '', 'null', 'None', 'nil'].map(
  (timestamp) => ({
    name: timestamp === '' ? 'empty' : `the text ${timestamp}`,
    timestamp,
  }),
);

/** Texts of times that cannot be read. */
export const unreadableTimestamps: readonly TimestampForm[] = ['NaN', 'Invalid Date', '0', 'NaT'].map(
  (timestamp) => ({
    name: `the text ${timestamp}`,
    timestamp,
  }),
);

/** Limits the work for a receiver that responds slowly. */
const MAX_CURRENT_TIMES = 2_000;

/** The times at which the receiver may have signed its own current time. @param fromMs, toMs milliseconds since 1970 */
export function listCurrentTimes(fromMs: number, toMs: number): TimestampForm[] {
  const name = 'the current time of the receiver';
  const times = Array.from(
    { length: Math.min(toMs - fromMs + 1, MAX_CURRENT_TIMES) },
    (_, index) => fromMs + index,
  );
  const seconds = [...new Set(times.map((ms) => Math.floor(ms / 1000) * 1000))];
  return [
    ...seconds.flatMap((ms) => [formatTimestamp('unix', ms), formatTimestamp('iso8601', ms)]),
    ...times.flatMap((ms) => [formatTimestamp('unix_ms', ms), new Date(ms).toISOString()]),
  ].map((timestamp) => ({ name, timestamp }));
}
