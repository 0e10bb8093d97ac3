import type { Attempt } from '../../../contract/resources.ts';
import { toSignedContent } from '../../../domain/signature/digest.ts';
import type { SignatureScheme } from '../../../domain/signature/scheme.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { toHeaderLookup } from '../../headers.ts';
import { renderDelivery, type SignedAttempt } from '../../render/delivery-detail.ts';
import { chooseDelivery } from './choose-delivery.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'del_…'),
  examples: ['deliveries get del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const delivery = await control.getDelivery({ id: id ?? (await chooseDelivery(control, context)) });
  const { signature } = await context.rules();
  const detail = {
    ...delivery,
    attempts: delivery.attempts.map((attempt) => toSignedAttempt(attempt, signature)),
  };
  context.print(detail, () => renderDelivery(detail, context));
}

/** With the string that was signed, put together again from what was sent. */
function toSignedAttempt(attempt: Attempt, scheme: SignatureScheme): SignedAttempt {
  const { headers, body } = attempt.request;
  const lookup = toHeaderLookup(Object.entries(headers));
  const timestamp = lookup.get(scheme.headers.timestamp ?? '');
  const id = lookup.get(scheme.headers.id ?? '');
  const content = timestamp === null || id === null ? null : toSignedContent(scheme, { id, timestamp, body });
  return { ...attempt, signed_content: content === null ? null : String(content) };
}
