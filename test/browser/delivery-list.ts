/** The delivery list in a browser, and emulators that fill it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
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
