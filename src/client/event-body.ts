/** Builds the body of `POST /v1/events` without changing the text of the payload. */

interface EventParts {
  readonly type: string;
  readonly workspaceId: string;
  /** Name of the payload field (gap `event.body`). */
  readonly payloadField: string;
  /** JSON text, which becomes part of the body unchanged. */
  readonly payload: string;
}

/** The body of the request as JSON text. */
export function toEventBody({ type, workspaceId, payloadField, payload }: EventParts): string {
  const fields = JSON.stringify({ type, workspace_id: workspaceId }).slice(1, -1);
  return `{${fields},${JSON.stringify(payloadField)}:${payload}}`;
}
