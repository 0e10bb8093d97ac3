export interface EventParts {
  readonly type: string;
  readonly workspaceId: string;
  /** What the API calls the payload (decision `event.body`). */
  readonly payloadMember: string;
  /** JSON text, which goes into the body as it is. */
  readonly payload: string;
}

/** The JSON text of a `POST /events`. */
export function toEventBody({ type, workspaceId, payloadMember, payload }: EventParts): string {
  const rest = JSON.stringify({ type, workspace_id: workspaceId }).slice(1, -1);
  return `{${rest},${JSON.stringify(payloadMember)}:${payload}}`;
}
