/** The delivery list in a browser, and emulators that fill it. */
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../support/test-receiver.ts';

/** An emulator that delivers every event to a receiver. */
export async function openEmulator(responses?: ReceiverResponses, options?: TestEmulatorOptions) {
  const emulator = await startTestEmulator(options);
  onTestFinished(emulator.close);
  const receiver = await createReceiver(responses);
  onTestFinished(() => receiver.close());
  const { workspace_id } = emulator.status();
  await emulator.api('POST', '/webhooks', { workspace_id, url: `${receiver.url}/hooks`, events: ['*'] });
  return emulator;
}

export async function trigger(emulator: TestEmulator, count: number, type = 'order.shipped') {
  const requests = Array.from({ length: count }, (_, number) =>
    emulator.api('POST', '/events', { type, payload: { number: `${type} no. ${number}` } }),
  );
  for (const { status } of await Promise.all(requests)) expect(status).toBe(201);
}

export const gridOf = (page: Page) => page.getByRole('grid', { name: 'Deliveries' });
export const rowsOf = (page: Page) => gridOf(page).locator('.virtual-list-body').getByRole('row');
export const selectedOf = (page: Page) => page.locator('[role="row"][aria-selected="true"]');
export const typesOf = (page: Page) => rowsOf(page).getByRole('link').allTextContents();
export const scrollOf = (page: Page) => gridOf(page).evaluate((grid) => grid.scrollTop);
/** Scrolls the list, and waits until the page has rendered the new rows. */
export const scrollTo = (page: Page, top: number) =>
  gridOf(page).evaluate(
    (grid, top) =>
      new Promise((resolve) => {
        const drawn = () => requestAnimationFrame(() => requestAnimationFrame(resolve));
        grid.addEventListener('scroll', drawn, { once: true });
        grid.scrollTo({ top });
      }),
    top,
  );
export const idOf = (page: Page) => /\/(del_\w+)/.exec(page.url())?.[1];
