/**
 * Opens a tunnel with cloudflared, which must be installed. The tunnel of listhen is not used, because it downloads a program
 * without asking if there is no terminal.
 */
import { devNull } from 'node:os';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { SvcError } from '../domain/errors.ts';
import { describeExit } from '../domain/message-parts.ts';
import { withAnySignal } from '../platform/abort-signals.ts';
import { clearTimeout, setTimeout } from '../platform/timers.ts';

export interface Tunnel {
  /** `https://…`, without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

const PROGRAM = 'cloudflared';
const START_TIMEOUT_MS = 20_000;

/** cloudflared prints the URL between vertical bars. */
const TUNNEL_URL = /\|\s+(https:\/\/\S+)/;
/** The line that cloudflared prints when the tunnel forwards requests, in its newer and its older form. */
const CONNECTED = /registered tunnel connection|connection \S+ registered/i;
/** Time and level before the text of a line. */
const LINE_HEAD = /^\S+Z\s+[A-Z]{3}\s+/;

/**
 * Opens a tunnel to `target`, a URL on this machine, and waits until it forwards requests.
 * @param onEnd called when the tunnel ends unexpectedly
 * @param signal ends the wait
 * @throws SvcError `no_tunnel`, `interrupted`
 */
export async function openTunnel(
  target: string,
  onEnd: (error: SvcError) => void,
  signal?: AbortSignal,
): Promise<Tunnel> {
  const child = startProgram(target);
  const startTimer = setTimeout(() => child.kill(), START_TIMEOUT_MS);
  try {
    const url = await withAnySignal(signal ? [signal] : [], (waiting) => whenConnected(child, waiting));
    let isClosing = false;
    child.once('exit', (code, endSignal) => {
      if (isClosing || code === 0) return;
      const problem = `${PROGRAM} ${describeExit(code, endSignal)}, so the tunnel is closed`;
      onEnd(createTunnelError(problem, 'Restart the emulator to open a new one.'));
    });
    const close = async () => {
      isClosing = true;
      child.kill();
      await child;
    };
    return { url, close };
  } catch (error) {
    child.kill();
    await child;
    throw error;
  } finally {
    clearTimeout(startTimer);
  }
}

function startProgram(target: string) {
  const args = [
    'tunnel',
    ...['--url', target, '--no-tls-verify', '--no-autoupdate', '--grace-period', '1s'],
    // The configuration file of the user is for another tunnel, and its rules would apply to this one.
    ...['--config', devNull],
  ];
  return execa(PROGRAM, args, { stdio: ['ignore', 'ignore', 'pipe'], buffer: false, reject: false });
}

/** The URL, when the tunnel is connected. Reads the log to its end, because a full pipe would block the program. */
function whenConnected(child: ReturnType<typeof startProgram>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let url: string | undefined;
    let lastLine = 'it printed nothing';
    createInterface(child.stderr).on('line', (line) => {
      url ??= TUNNEL_URL.exec(line)?.[1]?.replace(/\/$/, '');
      if (url !== undefined && CONNECTED.test(line)) resolve(url);
      if (line.trim() !== '') lastLine = line.replace(LINE_HEAD, '');
    });
    child.once('error', (error: NodeJS.ErrnoException) => reject(toTunnelError(error)));
    child.once('close', () => {
      const limit = child.killed ? ' within 20 seconds' : '';
      reject(createTunnelError(`${PROGRAM} could not open a tunnel${limit}: ${lastLine}`));
    });
    const interrupt = () => reject(new SvcError('interrupted', 'Interrupted.'));
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
  });
}

function toTunnelError(error: NodeJS.ErrnoException): SvcError {
  return error.code === 'ENOENT'
    ? createTunnelError(
        `A tunnel needs the program ${PROGRAM}, which is not on the PATH`,
        INSTALL_HINT,
        error,
      )
    : createTunnelError(`${PROGRAM} cannot be run: ${error.message}`, INSTALL_HINT, error);
}

const PUBLIC_URL_HINT = 'forward a public URL to the emulator in another way and pass it with --public-url';
const INSTALL_HINT = `Install it (https://github.com/cloudflare/cloudflared), or ${PUBLIC_URL_HINT}.`;

function createTunnelError(
  problem: string,
  hint = `Check the internet connection, or ${PUBLIC_URL_HINT}.`,
  cause?: Error,
): SvcError {
  return new SvcError('no_tunnel', `${problem}.`, { hint, cause });
}
