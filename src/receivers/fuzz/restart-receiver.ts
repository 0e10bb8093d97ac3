/** Restarts a receiver with a shell command, and waits until it responds again. */
import { execa } from 'execa';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { OutboundClient } from '../../platform/outbound-client.ts';
import { sleep } from '../../platform/timers.ts';

const COMMAND_TIMEOUT_MS = 60 * SECOND_MS;
const START_TIMEOUT_MS = 30 * SECOND_MS;
const POLL_INTERVAL_MS = 25;
const REQUEST_TIMEOUT_MS = SECOND_MS;
/** A proxy responds with these while the receiver behind it does not listen yet. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Runs the command to its end. The receiver that it starts in the background keeps running.
 * @throws SvcError `usage` if the command fails or takes too long
 */
export async function runRestartCommand(
  command: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<void> {
  const { failed, shortMessage } = await execa(command, {
    cwd,
    shell: true,
    // Without pipes, which a receiver in the background would keep open.
    stdio: 'ignore',
    timeout: COMMAND_TIMEOUT_MS,
    cancelSignal: signal,
    reject: false,
  });
  if (failed) throw createRestartError(`${shortMessage}.`);
}

/**
 * Waits for a response other than 502, 503 or 504 to a GET request, or until the signal is aborted. A connection is not enough:
 * the proxy of Docker accepts connections before the receiver listens.
 * @throws SvcError `usage` if no such response comes in time
 */
export async function waitUntilListening(url: string, signal: AbortSignal): Promise<void> {
  const client = new OutboundClient({ rule: 'local' });
  const endsAt = performance.now() + START_TIMEOUT_MS;
  while (!signal.aborted) {
    // The certificate does not matter for this question, and the response is not read.
    const { response } = await client.send({
      url,
      method: 'GET',
      signal,
      timeoutMs: REQUEST_TIMEOUT_MS,
      bodyLimitBytes: 0,
      reusesConnection: false,
      insecureTls: true,
    });
    if (response !== null && !gatewayStatuses.has(response.status)) return;
    if (performance.now() > endsAt) {
      const time = formatDuration(START_TIMEOUT_MS);
      throw createRestartError(`The receiver did not respond within ${time} of the restart.`);
    }
    await sleep(POLL_INTERVAL_MS, signal);
  }
}

/** @param message what is wrong with the option or the restart */
export function createRestartError(message: string): SvcError {
  return new SvcError('usage', message, {
    hint: 'Pass a command that stops the receiver, waits for it to exit, starts it again in the background, and then exits.',
  });
}
