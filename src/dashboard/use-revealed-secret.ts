import { useState } from 'preact/hooks';
import type { ControlOutput } from '../contract/control-operations.ts';
import { control } from './control.ts';
import { withErrorToast } from './toasts.ts';

interface RevealedSecret {
  /** Null while the secrets are hidden. */
  readonly shown: ControlOutput<'revealSecret'> | null;
  readonly toggle: () => Promise<void>;
}

/** The secrets of an endpoint, hidden until the user shows them. */
export function useRevealedSecret(webhookId: string): RevealedSecret {
  const [shown, setShown] = useState<RevealedSecret['shown']>(null);
  const toggle = async () => {
    const revealed = shown === null ? await withErrorToast(control.revealSecret({ id: webhookId })) : null;
    setShown(revealed ?? null);
  };
  return { shown, toggle };
}
