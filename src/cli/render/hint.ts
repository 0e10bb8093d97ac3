import type { Io } from '../io.ts';
import { styleFor } from './style.ts';

/** The next step, on standard error. */
export function noteHint(text: string, { note, noteLook }: Pick<Io, 'note' | 'noteLook'>): void {
  note(`${styleFor(noteLook).cyan('hint:')} ${text}`);
}
