/** The required fields of HAR 1.2 and their types, from the specification and the JSON schemas of the package har-schema. */
import * as v from 'valibot';

const Time = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
const Size = v.pipe(v.number(), v.integer(), v.minValue(-1));
/** In milliseconds; -1 if it does not apply. */
const Timing = v.union([v.literal(-1), v.pipe(v.number(), v.minValue(0))]);
const Pairs = v.array(v.strictObject({ name: v.string(), value: v.string() }));
const custom = { comment: v.optional(v.string()) };

const Request = v.strictObject({
  method: v.string(),
  url: v.pipe(v.string(), v.url()),
  httpVersion: v.string(),
  cookies: v.array(v.never()),
  headers: Pairs,
  queryString: Pairs,
  postData: v.strictObject({ mimeType: v.string(), text: v.string() }),
  headersSize: Size,
  bodySize: Size,
});

const Response = v.strictObject({
  status: v.pipe(v.number(), v.integer()),
  statusText: v.string(),
  httpVersion: v.string(),
  cookies: v.array(v.never()),
  headers: Pairs,
  content: v.strictObject({
    size: v.pipe(v.number(), v.integer()),
    mimeType: v.string(),
    text: v.optional(v.string()),
    encoding: v.optional(v.literal('base64')),
    ...custom,
  }),
  redirectURL: v.string(),
  headersSize: Size,
  bodySize: Size,
  _error: v.optional(v.string()),
});

export const Har = v.strictObject({
  log: v.strictObject({
    version: v.literal('1.2'),
    creator: v.strictObject({ name: v.string(), version: v.string() }),
    pages: v.array(
      v.strictObject({
        startedDateTime: Time,
        id: v.string(),
        title: v.string(),
        pageTimings: v.strictObject({ onContentLoad: v.number(), onLoad: v.number() }),
      }),
    ),
    entries: v.array(
      v.strictObject({
        pageref: v.string(),
        startedDateTime: Time,
        time: v.pipe(v.number(), v.minValue(0)),
        request: Request,
        response: Response,
        cache: v.strictObject({}),
        timings: v.strictObject({
          blocked: v.optional(Timing),
          dns: v.optional(Timing),
          connect: v.optional(Timing),
          ssl: v.optional(Timing),
          send: v.pipe(v.number(), v.minValue(0)),
          wait: v.pipe(v.number(), v.minValue(0)),
          receive: v.pipe(v.number(), v.minValue(0)),
        }),
        _resourceType: v.literal('fetch'),
        _delivery: v.record(v.string(), v.unknown()),
        _attempt: v.record(v.string(), v.unknown()),
        ...custom,
      }),
    ),
  }),
});
