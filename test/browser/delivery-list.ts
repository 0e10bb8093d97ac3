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

export const listOf = (page: Page) => page.getByRole('list', { name: 'Deliveries', exact: true });
export const rowsOf = (page: Page) => listOf(page).getByRole('listitem');
/** The row of the open delivery. */
export const openRowOf = (page: Page) => page.locator('li > a[aria-current="true"]');
export const focusedRowOf = (page: Page) => page.locator('li > a:focus');
export const typesOf = (page: Page) => rowsOf(page).locator('a > :nth-child(2)').allTextContents();
const scrollContainerOf = (page: Page) => page.locator('[aria-label="List"] > div');
export const scrollOf = (page: Page) => scrollContainerOf(page).evaluate(({ scrollTop }) => scrollTop);
/** Scrolls the list, and waits until the page has rendered the new rows. */
export const scrollTo = (page: Page, top: number) =>
  scrollContainerOf(page).evaluate(
    (container, top) =>
      new Promise((resolve) => {
        const drawn = () => requestAnimationFrame(() => requestAnimationFrame(resolve));
        container.addEventListener('scroll', drawn, { once: true });
        container.scrollTo({ top });
      }),
    top,
  );
export const idOf = (page: Page) => /\/(del_\w+)/.exec(page.url())?.[1];
