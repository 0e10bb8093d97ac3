import type { ControlPlane } from '../../../control/control-plane.ts';
import type { Context } from '../../context.ts';
import { askChoice } from '../../prompt.ts';

/** The delivery that the person chooses among the newest. */
export function chooseDelivery(control: ControlPlane, context: Context): Promise<string> {
  return askChoice(context, 'id', async () => {
    const { data } = await control.listDeliveries({});
    return data.map(({ id, status, event_type: type, url }) => ({
      value: id,
      name: `${id}  ${status.padEnd(9)}  ${type}  ${url}`,
    }));
  });
}
