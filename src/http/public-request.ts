/** A request to `/v1`, from its arrival to its row in the request log. */
import type { H3Event } from 'h3';
import { isId } from '../domain/ids.ts';
import type { Caller } from '../sandbox/access.ts';
import type { FiredFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ResponseHeaders } from './responses.ts';

/** Characters of the path that the log keeps. */
const PATH_LIMIT = 2048;
/** The same for a request without a valid key, which anyone can send. */
const PATH_LIMIT_WITHOUT_KEY = 256;

export class PublicRequest {
  readonly id: string;
  readonly event: H3Event;
  /** Null without a valid API key. */
  caller: Caller | null = null;
  /** Resource that the request names or has created; null for a list. */
  resourceId: string | null = null;
  rateLimitHeaders: ResponseHeaders = {};
  fault: FiredFault | null = null;
  errorCode: string | null = null;
  readonly #sandbox: Sandbox;
  readonly #startedAt: number;

  constructor(sandbox: Sandbox, event: H3Event) {
    this.#sandbox = sandbox;
    this.#startedAt = sandbox.wall.monotonic();
    this.id = sandbox.generator.ids('requests').next('request', sandbox.timestamp());
    this.event = event;
  }

  /** Records the caller, and the resource that the path names. */
  setCaller(caller: Caller): void {
    this.caller = caller;
    const id = this.event.context.params?.id;
    this.resourceId = id !== undefined && isId(id) ? id : null;
  }

  /** Writes the request into the log with a later commit: a commit of its own would cost a flush to the disk. */
  log(status: number): void {
    const { store, wall } = this.#sandbox;
    const { req, url } = this.event;
    const row = {
      id: this.id,
      at_wall: wall.now(),
      method: req.method,
      path: (url.pathname + url.search).slice(0, this.caller ? PATH_LIMIT : PATH_LIMIT_WITHOUT_KEY),
      status,
      error_code: this.errorCode,
      duration_ms: Math.round((wall.monotonic() - this.#startedAt) * 1000) / 1000,
      api_key_seq: this.caller?.keySeq ?? null,
      workspace_seq: this.caller?.workspaceSeq ?? null,
      resource_id: this.resourceId,
      fault: this.fault && JSON.stringify(this.fault.mark),
    };
    store.writeSoon(() => store.apiRequests.insert({ seq: store.nextSeq(), ...row }));
  }
}
