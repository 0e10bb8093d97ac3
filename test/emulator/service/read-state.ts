import type { TestEmulator } from '../../support/test-emulator.ts';

/** The complete state of an emulator except wall time. */
export async function readState({ control }: TestEmulator) {
  const { data: workspaces } = await control.listWorkspaces({});
  const { data: deliveries } = await control.listDeliveries({ limit: 1_000 });
  const clocks = workspaces.map(async ({ id }) => {
    const { wall: _, ...clock } = await control.getClock({ workspace_id: id });
    return clock;
  });
  return {
    workspaces,
    clocks: await Promise.all(clocks),
    keys: (await control.listKeys({})).data,
    webhooks: (await control.listWebhooks({})).data,
    deliveries: await Promise.all(deliveries.map(({ id }) => control.getDelivery({ id }))),
    requests: (await control.listRequests({ limit: 1_000 })).data,
    pending: (await control.getStatus({})).deliveries,
  };
}
