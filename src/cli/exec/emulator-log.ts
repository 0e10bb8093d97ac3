/** The log file of the emulator of `svc emulator exec`, whose command uses the terminal: requests, attempts and notes. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import type { ControlPlane } from '../../contract/control-plane.ts';
import { assertRegularFile } from '../../read-regular-file.ts';
import { createWriteError } from '../file-access.ts';
import type { NoteOutput } from '../process-context.ts';
import { renderAttempt, renderRequest, renderReset } from '../render/stream-items.ts';
import { sanitizeForTerminal } from '../terminal-text.ts';

/** Number of entries, the last ones, that are kept to show the end of the log. */
const KEPT_ENTRIES = 200;

const plainCapabilities = { width: Number.POSITIVE_INFINITY, color: false, unicode: true };

export class EmulatorLog {
  readonly path: string;
  /** Appends notes to the log. */
  readonly notes: NoteOutput;
  /** In the order of their times. */
  readonly #lastEntries: { readonly at: string; readonly lines: readonly string[] }[] = [];

  /** @throws SvcError `usage` when the file cannot be written. */
  constructor(path: string) {
    try {
      if (existsSync(path)) assertRegularFile(path);
      writeFileSync(path, '', { mode: 0o600 });
    } catch (error) {
      throw createWriteError(path, error, 'Choose a writable file with --log.');
    }
    this.path = path;
    this.notes = { note: (text) => this.#append(text), noteCapabilities: plainCapabilities };
  }

  /** Logs requests and attempts until `signal` is aborted. */
  async follow(control: Pick<ControlPlane, 'stream'>, signal: AbortSignal): Promise<void> {
    const output = { io: plainCapabilities };
    try {
      for await (const item of control.stream({ types: 'request,attempt' }, signal)) {
        if (item.type === 'request') this.#append(renderRequest(item.request, output), item.request.at);
        if (item.type === 'attempt') this.#append(renderAttempt(item, output), item.attempt.sent_at);
        if (item.type === 'reset') this.#append(renderReset(plainCapabilities));
      }
    } catch (error) {
      // The command stopped the emulator, or the emulator had an internal error.
      this.#append(`The log ends here: ${(error as Error).message}`);
    }
  }

  /** The last lines, in the order of their times. The file has requests and attempts in the order in which they ended. */
  tail(count: number): string[] {
    return this.#lastEntries.flatMap(({ lines }) => lines).slice(-count);
  }

  /** @param at the time that the text shows; a note has none, and stays after what was logged before it */
  #append(text: string, at = this.#lastEntries.at(-1)?.at ?? ''): void {
    const safeText = sanitizeForTerminal(text);
    const index = this.#lastEntries.findLastIndex((entry) => entry.at <= at) + 1;
    this.#lastEntries.splice(index, 0, { at, lines: safeText.split('\n') });
    if (this.#lastEntries.length > KEPT_ENTRIES) this.#lastEntries.shift();
    try {
      appendFileSync(this.path, `${safeText}\n`);
    } catch {
      // A full disk ends the log, not the command.
    }
  }
}
