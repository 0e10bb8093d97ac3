import { useState } from 'preact/hooks';
import type { ControlOutput } from '../contract/control-api.ts';
import { control } from './control.ts';
import { attempt } from './notices.ts';

interface RevealedSecret {
  /** Null while they are hidden. */
  readonly shown: ControlOutput<'revealSecret'> | null;
  readonly toggle: () => Promise<void>;
}

/** The secrets of an endpoint, hidden until somebody asks for them. */
export function useRevealedSecret(webhookId: string): RevealedSecret {
  const [shown, setShown] = useState<RevealedSecret['shown']>(null);
  const toggle = async () => {
    const revealed = shown === null ? await attempt(control.revealSecret({ id: webhookId })) : null;
    setShown(revealed ?? null);
  };
  return { shown, toggle };
}
