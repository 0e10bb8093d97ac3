/** The columns of lists of API requests, and all fields of one request. */
import type { ApiRequest } from '../../contract/resources.ts';
import { describeAppliedFault } from '../../control/describe-fault.ts';
import { formatLatency } from '../../domain/duration.ts';
import type { Context } from '../context.ts';
import { formatTime } from './format.ts';
import { styleHttpStatus } from './style.ts';
import { type Column, renderFields } from './table.ts';

/** @param formatTimeCell relative times for a list, the time of day for a live view */
export function requestColumns(
  capabilities: { readonly color: boolean },
  formatTimeCell: (time: string) => string,
): readonly Column<ApiRequest>[] {
  return [
    { title: 'AT', value: ({ at }) => formatTimeCell(at) },
    { title: 'METHOD', value: ({ method }) => method },
    { title: 'PATH', value: ({ path }) => path, canTruncate: true },
    { title: 'STATUS', value: ({ status }) => styleHttpStatus(status, capabilities) },
    { title: 'ERROR', value: describeError, hideOrder: 3 },
    { title: 'TOOK', value: ({ duration_ms: ms }) => formatLatency(ms), hideOrder: 4 },
    { title: 'KEY', value: ({ api_key_id: key }) => key ?? '', hideOrder: 1 },
    { title: 'REQUEST', value: ({ id }) => id, hideOrder: 2 },
  ];
}

/** The error code, and the injected fault. */
function describeError({ error_code: code, fault }: ApiRequest): string {
  return [code, fault && `(fault ${fault.kind})`].filter(Boolean).join(' ');
}

/** Renders all fields of a request. */
export function renderRequestDetail(request: ApiRequest, { io, now }: Pick<Context, 'io' | 'now'>): string {
  return renderFields(
    {
      Request: request.id,
      At: formatTime(request.at, now()),
      Method: request.method,
      Path: request.path,
      Status: styleHttpStatus(request.status, io),
      Error: request.error_code,
      Fault: describeAppliedFault(request.fault),
      Took: formatLatency(request.duration_ms),
      'API key': request.api_key_id,
      Workspace: request.workspace_id,
    },
    io,
  );
}
