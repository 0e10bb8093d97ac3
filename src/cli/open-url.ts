/** Opens a URL in the browser. */
import { spawn } from 'node:child_process';
import type { ProcessContext } from './process-context.ts';

/** A program that still runs after this time is the browser itself, not a program that starts it. */
const OPEN_TIMEOUT_MS = 1_000;

/**
 * Starts the program of `BROWSER`, or the default of the system. The browser outlives `svc`.
 * @returns false without a display or such a program; show the URL instead
 */
export async function openUrl(url: string, { env }: Pick<ProcessContext, 'env'>): Promise<boolean> {
  const [program, ...args] = findOpener(url, env, process.platform) ?? [];
  if (program === undefined) return false;
  const child = spawn(program, args, { env, detached: true, stdio: 'ignore', windowsHide: true });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), OPEN_TIMEOUT_MS);
    const finish = (isOpened: boolean) => {
      clearTimeout(timer);
      resolve(isOpened);
    };
    child.once('error', () => finish(false)).once('exit', (code) => finish(code === 0));
  });
}

/** The command line that opens `url`, program first; null without a display. */
export function findOpener(
  url: string,
  env: ProcessContext['env'],
  platform: NodeJS.Platform,
): readonly string[] | null {
  // `BROWSER` is a list separated by colons, with `%s` for the URL. Only the first command is used.
  const words = env.BROWSER?.split(':')[0]?.trim().split(/\s+/) ?? [''];
  if (words[0] !== '') {
    return words.includes('%s') ? words.map((word) => (word === '%s' ? url : word)) : [...words, url];
  }
  if (platform === 'darwin') return ['open', url];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  // Without a display, xdg-open starts a text browser in this terminal.
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
  return hasDisplay ? ['xdg-open', url] : null;
}
