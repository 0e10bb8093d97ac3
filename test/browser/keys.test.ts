/** The keys: what each is allowed, made and taken away again. */
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

async function startEmulator() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  return emulator;
}

describeInBrowser('the keys', () => {
  it('are listed with their scopes and their workspace, the newest first', async () => {
    const emulator = await startEmulator();
    const { id } = await emulator.control.createWorkspace({ name: 'Second' });
    const { key } = await emulator.control.createKey({ scopes: ['events:read'], workspace_id: id });
    const page = await openDashboard(emulator, { hash: '/keys' });
    const keys = page.getByRole('list', { name: 'API keys' }).locator('> li');
    const newest = keys.first();
    await newest
      .getByText(`svc_test_…${key.slice(-4)}`, { exact: true })
      .first()
      .waitFor();
    await newest.getByText('for Second alone').waitFor();
    await expect
      .poll(() => newest.getByRole('list', { name: 'Scopes' }).allTextContents())
      .toEqual(['events:read']);
    await keys.last().getByText('used by this page and by svc').waitFor();
    await keys
      .last()
      .getByText(/^for .+ alone$/)
      .waitFor();
    await expect.poll(() => page.content()).not.toContain(key);
  });

  it('are made with the scopes that are chosen, and shown once', async () => {
    const emulator = await startEmulator();
    const page = await openDashboard(emulator, { hash: '/keys' });
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Create', exact: true }).isDisabled())
      .toBe(true);
    await dialog.getByLabel('events:read').check();
    await dialog.getByLabel('Works for').selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const key = (await dialog.getByText(/^svc_test_/).textContent()) ?? '';
    await dialog.getByRole('button', { name: 'Copy as variable' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(`export SVC_API_KEY=${key}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.content()).not.toContain(key);
    const authorization = `Bearer ${key}`;
    await expect
      .poll(() => emulator.api('GET', '/events', undefined, { authorization }))
      .toMatchObject({ status: 200 });
    const refused = await emulator.api('POST', '/events', { type: 'pets.fed' }, { authorization });
    expect(refused.status).toBe(403);
  });

  it('are revoked once that is confirmed', async () => {
    const emulator = await startEmulator();
    const workspace_id = emulator.status().workspace_id;
    const { key } = await emulator.control.createKey({ scopes: ['events:read'], workspace_id });
    const page = await openDashboard(emulator, { hash: '/keys' });
    const newest = page.getByRole('list', { name: 'API keys' }).locator('> li').first();
    await newest.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const ask = () => emulator.api('GET', '/events', undefined, { authorization: `Bearer ${key}` });
    await expect.poll(() => ask()).toMatchObject({ status: 200 });
    await newest.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await newest.getByText('revoked just now').waitFor();
    await expect.poll(() => ask()).toMatchObject({ status: 401 });
  });

  it('warn of revoking the key of the page itself', async () => {
    const page = await openDashboard(await startEmulator(), { hash: '/keys' });
    await page.getByText('used by this page').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It is the key of this page').waitFor();
  });

  it('are the new ones once the state has been reset', async () => {
    const emulator = await startEmulator();
    await emulator.control.createKey({ scopes: ['events:read'] });
    const page = await openDashboard(emulator, { hash: '/keys' });
    const keys = page.getByRole('list', { name: 'API keys' }).locator('> li');
    await expect.poll(() => keys.count()).toBe(2);
    await emulator.control.reset({});
    await expect.poll(() => keys.count()).toBe(1);
  });

  it.each(['light', 'dark'] as const)('are accessible in %s, wide and narrow', async (colorScheme) => {
    const emulator = await startEmulator();
    const { id } = await emulator.control.createKey({ scopes: ['events:read', 'webhooks:manage'] });
    await emulator.control.revokeKey({ id });
    for (const width of [360, 1920]) {
      const page = await openDashboard(emulator, { hash: '/keys', colorScheme, width });
      await page.getByText('used by this page').waitFor();
      await expectAccessible(page);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('events:write').check();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByText('It is shown this once').waitFor();
      await expectAccessible(page);
    }
  });
});
