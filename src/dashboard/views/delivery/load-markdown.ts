import { SvcError } from '../../../domain/errors.ts';
import type { Attempt } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { control } from '../../control.ts';
import { toMarkdown } from './to-markdown.ts';

/** An attempt and its cause as Markdown, without the secrets of the endpoint. */
export async function loadMarkdown(delivery: DeliveryDetail, attempt: Attempt): Promise<string> {
  const [explanation, secrets] = await Promise.all([
    control.explainDelivery({ id: delivery.id, attempt: attempt.number }),
    revealSecrets(delivery.webhook_id),
  ]);
  return toMarkdown(delivery, attempt, explanation, secrets);
}

/** The secrets of the endpoint, unless it was deleted. */
async function revealSecrets(id: string): Promise<string[]> {
  const secrets = await control.revealSecret({ id }).catch((error) => {
    if (error instanceof SvcError && error.code === 'not_found') return null;
    throw error;
  });
  return [secrets?.secret, secrets?.previous_secret].filter((secret) => secret != null);
}
