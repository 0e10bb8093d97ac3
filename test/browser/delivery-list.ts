/** The delivery list in a browser, and emulators that fill it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type OpenOptions, openDashboard } from '../support/browser.ts';
import type { TestEmulator, TestEmulatorOptions } from '../support/test-emulator.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { startPair } from './open-emulator.ts';

/** An emulator that delivers every event to a receiver. */
export async function openEmulator(responses?: ReceiverResponses, options?: TestEmulatorOptions) {
  return (await startPair(responses, options)).emulator;
}

export async function trigger(emulator: TestEmulator, count: number, type = 'order.shipped') {
  const requests = Array.from({ length: count }, (_, number) =>
    emulator.api('POST', '/events', { type, payload: { number: `${type} no. ${number}` } }),
  );
  for (const { status } of await Promise.all(requests)) expect(status).toBe(201);
}

/** An emulator with so many deliveries of each event type, and a page. */
export async function openList(
  counts: Readonly<Record<string, number>> = {},
  { responses, ...openOptions }: OpenOptions & { readonly responses?: ReceiverResponses } = {},
) {
  const emulator = await openEmulator(responses);
  for (const [type, count] of Object.entries(counts)) await trigger(emulator, count, type);
  return { emulator, page: await openDashboard(emulator, openOptions) };
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
