import type { ControlPlane } from '../../../control/control-plane.ts';
import type { Context } from '../../context.ts';
import { askChoice } from '../../prompt.ts';

/** The endpoint named on the command line, or the one that the person chooses. */
export async function chooseWebhook(
  id: string | undefined,
  control: ControlPlane,
  context: Context,
): Promise<string> {
  return (
    id ??
    askChoice(context, 'id', async () => {
      const { data } = await control.listWebhooks({});
      return data.map(({ id, url, events }) => ({ value: id, name: `${id}  ${url}  ${events.join(',')}` }));
    })
  );
}
