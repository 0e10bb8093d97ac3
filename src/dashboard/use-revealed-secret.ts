import { useState } from 'preact/hooks';
import type { ControlOutput } from '../contract/control-operations.ts';
import { control } from './control.ts';
import { withErrorToast } from './toasts.ts';

interface RevealedSecret {
  /** Null while the secrets are hidden. */
  readonly revealed: ControlOutput<'revealSecret'> | null;
  readonly toggle: () => Promise<void>;
}

/** The secrets of an endpoint, hidden until the user shows them. */
export function useRevealedSecret(webhookId: string): RevealedSecret {
  const [revealed, setRevealed] = useState<RevealedSecret['revealed']>(null);
  const toggle = async () => {
    const secrets = revealed === null ? await withErrorToast(control.revealSecret({ id: webhookId })) : null;
    setRevealed(secrets ?? null);
  };
  return { revealed, toggle };
}
