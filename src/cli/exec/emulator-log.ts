/** The log of the emulator of `svc emulator exec`, whose command uses the terminal: requests, attempts and notes. */
import { appendFileSync, writeFileSync } from 'node:fs';
import type { ControlPlane } from '../../operations/control-plane.ts';
import { createWriteError } from '../file-access.ts';
import type { NoteOutput } from '../process-context.ts';
import { renderAttempt, renderRequest, renderReset } from '../render/stream-items.ts';
import { sanitizeForTerminal } from '../terminal-text.ts';

/** Number of lines, the last ones, that are kept to show the end of the log. */
const KEPT_LINES = 20;

const plainCapabilities = { width: Number.POSITIVE_INFINITY, color: false, unicode: true };

export class EmulatorLog {
  /** Null without a file. */
  readonly path: string | null;
  /** Appends notes to the log. */
  readonly notes: NoteOutput;
  lastLines: readonly string[] = [];

  /** @throws SvcError `usage` when the file cannot be written. */
  constructor(path: string | null) {
    try {
      if (path !== null) writeFileSync(path, '', { mode: 0o600 });
    } catch (error) {
      throw createWriteError(String(path), error, 'Choose a writable file with --log.');
    }
    this.path = path;
    this.notes = { note: (text) => this.#append(text), noteCapabilities: plainCapabilities };
  }

  /** Logs requests and attempts until `signal` is aborted. */
  async follow(control: Pick<ControlPlane, 'stream'>, signal: AbortSignal): Promise<void> {
    const output = { io: plainCapabilities };
    try {
      for await (const item of control.stream({ types: 'request,attempt' }, signal)) {
        if (item.type === 'request') this.#append(renderRequest(item.request, output));
        if (item.type === 'attempt') this.#append(renderAttempt(item, output));
        if (item.type === 'reset') this.#append(renderReset(plainCapabilities));
      }
    } catch (error) {
      // The command stopped the emulator, or the emulator had an internal error.
      this.#append(`The log ends here: ${(error as Error).message}`);
    }
  }

  #append(text: string): void {
    const safeText = sanitizeForTerminal(text);
    this.lastLines = [...this.lastLines, ...safeText.split('\n')].slice(-KEPT_LINES);
    if (this.path === null) return;
    try {
      appendFileSync(this.path, `${safeText}\n`);
    } catch {
      // A full disk ends the log, not the command.
    }
  }
}
