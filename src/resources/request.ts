/** A request to `/v1` in the request log: its fields and the filters of its lists. */
import * as v from 'valibot';
import { isId, toExampleId } from '../domain/ids.ts';
import {
  type ConditionOf,
  defineFields,
  defineFilters,
  toFilterFields,
  toResponseFields,
} from './define-resource.ts';
import { faultField } from './fault.ts';
import { hasStatus, statusClasses, TIME_FORMS, wordOf, workspaceFilter } from './list-fields.ts';
import { durationFrom, expecting, RelativeTime, wholeNumberFrom } from './value-schemas.ts';
import { Count, described, Headers, idOf, resource, Timestamp } from './values.ts';

export const requestTable = defineFields({
  id: {
    schema: idOf('request'),
    label: 'Request',
    summary: 'ID of the request, as in the `Request-Id` header of its response',
    column: { hideOrder: 2, isLast: true },
  },
  at: {
    schema: Timestamp,
    label: 'At',
    summary: 'Wall time at which the request arrived',
    column: {},
  },
  method: {
    schema: v.string(),
    label: 'Method',
    summary: 'HTTP method',
    column: {},
  },
  path: {
    schema: v.string(),
    label: 'Path',
    summary: 'Path and query, without secrets',
    detail: 'Truncated to 2,048 characters',
    column: { canTruncate: true },
  },
  status: {
    schema: v.number(),
    label: 'Status',
    summary: 'Status of the response',
    detail: '0 if a fault dropped the connection',
    column: {},
  },
  error_code: {
    schema: v.nullable(v.string()),
    label: 'Error',
    summary: 'Error code of the response',
    detail: '`null` on success',
    column: { hideOrder: 3 },
  },
  error_message: {
    schema: v.nullable(v.string()),
    label: 'Message',
    summary: 'Error message of the response, truncated like the path',
    detail: '`null` on success',
  },
  duration_ms: {
    schema: v.number(),
    label: 'Took',
    summary: 'Time from the request to the response, in milliseconds',
    column: { hideOrder: 4 },
  },
  api_key_id: {
    schema: v.nullable(v.string()),
    label: 'API key',
    summary: 'ID of the API key',
    detail: '`null` if the request had no valid key',
  },
  api_key_name: {
    schema: v.nullable(v.string()),
    label: 'Key',
    summary: 'Name of the API key',
    detail: '`null` if the request had no valid key',
    column: { hideOrder: 1, canTruncate: true },
  },
  workspace_id: {
    schema: v.nullable(v.string()),
    label: 'Workspace',
    summary: 'ID of the workspace that the API key is bound to',
    detail: '`null` if the key is valid for all workspaces, or if the request had no valid key',
  },
  resource_id: {
    schema: v.nullable(v.string()),
    label: 'Resource',
    summary: 'ID of the resource that the request created or accessed',
    detail: '`null` if there is none, for example for a list or a rejected request',
  },
  user_agent: {
    schema: v.nullable(v.string()),
    label: 'User agent',
    summary: '`User-Agent` header of the request, truncated like the path',
    detail: '`null` without one',
  },
});

export const ApiRequest = resource('A request to `/v1` in the request log.', {
  ...toResponseFields(requestTable),
  ...faultField,
});
export type ApiRequest = v.InferOutput<typeof ApiRequest>;

export const LoggedMessage = resource('The headers and the body of a logged request or of its response.', {
  headers: described(
    {
      summary: 'Headers, without those that Node.js adds to a response',
      detail: 'Secrets are removed; of an API key, the last four characters remain',
    },
    Headers,
  ),
  body: described(
    {
      summary: 'Body',
      detail:
        'A request has at most 256 KiB of it and a response 64 KiB. `null` if it was not read, for example without a valid API key',
    },
    v.nullable(v.string()),
  ),
  encoding: described({ summary: '`base64` if the body is not valid UTF-8' }, v.picklist(['utf8', 'base64'])),
  size_bytes: described(
    { summary: 'Size of the whole body in bytes', detail: '`null` if it was not read' },
    v.nullable(Count),
  ),
  truncated: described({ summary: 'Whether only a part of the path or the body is stored' }, v.boolean()),
});
export type LoggedMessage = v.InferOutput<typeof LoggedMessage>;

export const ApiRequestDetail = resource(
  'A request to `/v1` in the request log, with its headers and bodies.',
  {
    ...ApiRequest.entries,
    request: described({ summary: 'Headers and body of the request' }, LoggedMessage),
    response: described(
      {
        summary: 'Headers and body of the response',
        detail: '`null` if an injected fault dropped the connection',
      },
      v.nullable(LoggedMessage),
    ),
  },
);
export type ApiRequestDetail = v.InferOutput<typeof ApiRequestDetail>;

/** 0 means that an injected fault dropped the connection. */
const Status = expecting(
  'a status from 0 to 599, or a class such as 4xx',
  v.union([wholeNumberFrom(0, 599), wordOf(statusClasses)]),
);

/** The methods of HTTP that clients send (RFC 9110, RFC 5789). */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
const Method: v.GenericSchema<string> = expecting(
  `one of ${methods.join(', ')}`,
  v.pipe(v.string(), v.metadata({ jsonSchema: { enum: methods } }), v.toUpperCase(), v.picklist(methods)),
);

/** The conditions are for the request `r`. */
export const requestFilters = defineFilters({
  method: {
    schema: Method,
    label: 'Method',
    summary: 'Only requests with this HTTP method',
    sql: 'r.method = @method',
    option: '--method <method>',
  },
  path: {
    schema: v.string(),
    label: 'Path',
    summary:
      'Only requests with a path that starts with this text or, if the text does not start with a slash, contains it',
    sql: `iif(substr(@path, 1, 1) = '/', substr(r.path, 1, length(@path)) = @path, instr(r.path, @path) > 0)`,
    option: '--path <text>',
  },
  status: {
    schema: Status,
    label: 'Status',
    summary: 'Only requests with this response status or class, such as 404 or 4xx',
    detail: 'Use 0 for connections that an injected fault dropped',
    sql: hasStatus('r.status', '@status'),
    option: '--status <status>',
    optionSummary:
      'Only requests with this response status or class, such as 404 or 4xx; 0 for dropped connections',
  },
  api_key_id: {
    schema: idOf('apiKey'),
    label: 'API key',
    summary: 'Only requests with this API key',
    sql: 'r.api_key_seq = (SELECT seq FROM api_keys WHERE id = @api_key_id)',
  },
  api_key_name: {
    schema: v.string(),
    label: 'API key',
    summary: 'Only requests with an API key of this name',
    sql: 'r.api_key_seq IN (SELECT seq FROM api_keys WHERE name = @api_key_name)',
  },
  request_id: {
    schema: idOf('request'),
    label: 'Request',
    summary: 'Only the request with this ID',
    sql: 'r.id = @request_id',
    option: '--request <id>',
  },
  resource_id: {
    schema: expecting(
      `the ID of a resource, such as ${toExampleId('event')}`,
      v.pipe(v.string(), v.check(isId)),
    ),
    label: 'Resource',
    summary: 'Only requests that created or named this resource',
    sql: 'r.resource_id = @resource_id',
    option: '--resource <id>',
  },
  ...workspaceFilter('r.workspace_seq'),
  min_duration_ms: {
    schema: durationFrom(0),
    label: 'Slower than',
    summary: 'Only requests that took at least this long, such as 100ms',
    sql: 'r.duration_ms >= @min_duration_ms',
    option: '--slower-than <duration>',
  },
  since: {
    schema: RelativeTime,
    label: 'Since',
    summary: `Only requests received at or after this wall time: ${TIME_FORMS}`,
    example: '1h',
    sql: 'r.at_wall >= @since',
    option: '--since <when>',
  },
  until: {
    schema: RelativeTime,
    label: 'Before',
    summary: `Only requests received before this wall time: ${TIME_FORMS}`,
    sql: 'r.at_wall < @until',
  },
});

export const RequestFilter = toFilterFields(requestFilters);
export type RequestCondition = ConditionOf<typeof requestFilters>;
