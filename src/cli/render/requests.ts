import type { ApiRequest } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { toOneLine } from './control-characters.ts';
import { renderFields } from './fields.ts';
import { cutLineTo } from './painted.ts';
import { paintHttpStatus } from './style.ts';
import type { Column } from './table.ts';
import { formatTime, formatTimeOfDay } from './time.ts';

export function requestColumns(look: { readonly color: boolean }): readonly Column<ApiRequest>[] {
  return [
    { title: 'AT', value: ({ at }) => `${at.slice(0, 10)} ${formatTimeOfDay(at)}`, leaves: 3 },
    { title: 'METHOD', value: ({ method }) => method },
    { title: 'PATH', value: ({ path }) => path, shrinks: true },
    { title: 'STATUS', value: ({ status }) => paintHttpStatus(status, look) },
    { title: 'ERROR', value: ({ error_code: code }) => code ?? '', leaves: 4 },
    { title: 'TIME', value: ({ duration_ms: ms }) => formatMs(ms), leaves: 5 },
    { title: 'KEY', value: ({ api_key_id: key }) => key ?? '', leaves: 1 },
    { title: 'REQUEST', value: ({ id }) => id, leaves: 2 },
  ];
}

/** One request on one line; a terminal gets what fits. */
export function renderRequest(request: ApiRequest, { io }: Pick<Context, 'io'>): string {
  const { at, method, path, status, error_code: code, duration_ms: ms, id } = request;
  const parts = [formatTimeOfDay(at), method, path, paintHttpStatus(status, io), code, formatMs(ms), id];
  return cutLineTo(io, toOneLine(parts.filter((part) => part !== null).join('  ')));
}

function formatMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}ms`;
}

/** Everything that the log keeps of a request. */
export function renderRequestDetail(request: ApiRequest, { io, now }: Pick<Context, 'io' | 'now'>): string {
  return renderFields(
    {
      Request: request.id,
      At: formatTime(request.at, now()),
      Method: request.method,
      Path: toOneLine(request.path),
      Status: paintHttpStatus(request.status, io),
      Error: request.error_code,
      Took: formatMs(request.duration_ms),
      'API key': request.api_key_id,
      Workspace: request.workspace_id,
    },
    io,
  );
}
