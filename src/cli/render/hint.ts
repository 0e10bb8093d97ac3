import type { Notes } from '../io.ts';
import { styleFor } from './style.ts';

/** The next step. */
export function noteHint(text: string, { note, noteLook }: Notes): void {
  note(`${styleFor(noteLook).cyan('hint:')} ${text}`);
}
