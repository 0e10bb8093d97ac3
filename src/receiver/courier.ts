/** Carries single requests to the receiver and brings back what it answered. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { rootCertificates } from 'node:tls';
import { formatDuration } from '../domain/duration.ts';
import { abortAfter } from '../timers.ts';

export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How one request ended: with a status, or with the reason why there is none. */
export type Answer = { readonly durationMs: number } & (
  | { readonly status: number; readonly problem: null }
  | { readonly status: null; readonly problem: string }
);

export interface CourierOptions {
  readonly url: string;
  /** For a whole answer. */
  readonly timeoutMs: number;
  /** PEM of a certificate authority to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

export type Send = (message: Message) => Promise<Answer>;

/** Each request goes over a connection of its own. Redirects are not followed (decision `delivery.success`). */
export function createCourier({ url, timeoutMs, ca, signal }: CourierOptions): Send {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] };

  return ({ body, headers }) =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const deadline = abortAfter(timeoutMs);
      const outgoing = request(url, {
        ...{ method: 'POST', agent: false, ...trust, signal: AbortSignal.any([signal, deadline]) },
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      });
      let answer: Answer | null = null;
      const end = (problem: string) => resolve(answer ?? { status: null, problem, durationMs: elapsed() });
      const elapsed = () => Math.round(performance.now() - startedAt);
      outgoing.on('response', (response) => {
        answer = { status: response.statusCode ?? 0, problem: null, durationMs: elapsed() };
        response
          .on('error', () => end(''))
          .on('close', () => end(''))
          .resume();
      });
      outgoing.on('error', (error) =>
        end(deadline.aborted ? `no answer within ${formatDuration(timeoutMs)}` : describeProblem(error)),
      );
      outgoing.end(body);
    });
}

/** 2xx (§6.5). */
export function isAccepted({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A client-error status (§6.4). */
export function isRejected({ status }: Answer): boolean {
  return status !== null && status >= 400 && status < 500;
}

/** `status 204`, or why there is none; `2 × status 204, status 500` for several. */
export function describeAnswers(...answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, problem } of answers) {
    const text = status === null ? problem : `status ${status}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return Array.from(counts, ([text, count]) => (count === 1 ? text : `${count} × ${text}`)).join(', ');
}

const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ECONNRESET: 'connection closed without an answer',
  EPIPE: 'connection closed without an answer',
  ENOTFOUND: 'the name of the host does not resolve',
};

function describeProblem(error: NodeJS.ErrnoException): string {
  return problems[error.code ?? ''] ?? error.message;
}
