/** The columns of lists of API requests, and all fields of one request. */

import { formatLatency } from '../../domain/duration.ts';
import { describeAppliedFault } from '../../resources/fault.ts';
import { hasUnreadBody } from '../../resources/logged-request.ts';
import {
  type ApiRequest,
  type ApiRequestDetail,
  type LoggedMessage,
  requestTable,
} from '../../resources/request.ts';
import type { Context } from '../context.ts';
import { formatTime } from './format.ts';
import { renderMessageText, renderSection } from './http-message.ts';
import { styleHttpStatus } from './style.ts';
import { type Column, renderFields, toColumns } from './table.ts';

/** @param formatTimeCell relative times for a list, the time of day for a live view */
export function requestColumns(
  capabilities: { readonly color: boolean },
  formatTimeCell: (time: string) => string,
): readonly Column<ApiRequest>[] {
  return toColumns<ApiRequest>(requestTable, {
    at: { value: ({ at }) => formatTimeCell(at) },
    status: { value: ({ status }) => styleHttpStatus(status, capabilities) },
    error_code: {
      value: ({ error_code: code, fault }) =>
        [code, fault && `(fault ${fault.kind})`].filter(Boolean).join(' '),
    },
    duration_ms: { value: ({ duration_ms: ms }) => formatLatency(ms) },
  });
}

/** Renders all fields of a request, with the headers and bodies that the log contains. */
export function renderRequestDetail(
  { request, response, ...summary }: ApiRequestDetail,
  { io, now }: Pick<Context, 'io' | 'now'>,
): string {
  const { method, path, status } = summary;
  const fields = renderFields(
    {
      Request: summary.id,
      At: formatTime(summary.at, now()),
      Method: method,
      Path: path,
      Status: styleHttpStatus(status, io),
      Error: summary.error_code,
      Message: summary.error_message,
      Fault: describeAppliedFault(summary.fault),
      Took: formatLatency(summary.duration_ms),
      'API key': summary.api_key_id && `${summary.api_key_id} ${summary.api_key_name}`,
      'User agent': summary.user_agent,
      Workspace: summary.workspace_id,
      Resource: summary.resource_id,
    },
    io,
  );
  const sections = [
    renderSection('Request', renderLoggedMessage(`${method} ${path}`, request), io),
    response && renderSection('Response', renderLoggedMessage(String(status), response), io),
  ];
  return [fields, ...sections.filter((section) => section !== null)].join('\n\n');
}

function renderLoggedMessage(startLine: string, message: LoggedMessage): string {
  const { body, truncated, size_bytes: size } = message;
  if (body === null) {
    const note = hasUnreadBody(message) ? '(the body was not read)' : '(no body)';
    return renderMessageText(startLine, { ...message, body: note });
  }
  // The note about the truncation is added below, because it has the size of the body.
  const text = renderMessageText(startLine, { ...message, body, truncated: false });
  return truncated ? `${text}\n… (truncated; the whole body has ${size} bytes)` : text;
}
