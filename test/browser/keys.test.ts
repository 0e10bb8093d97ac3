/** The key page: listing, creating and revoking API keys. */
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

async function startEmulator() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  return emulator;
}

describeInBrowser('the key page', () => {
  it('the key page lists the keys with their scopes and workspace, newest first', async () => {
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
    await newest.getByText('Workspace: Second').waitFor();
    await expect
      .poll(() => newest.getByRole('list', { name: 'Scopes' }).allTextContents())
      .toEqual(['events:read']);
    await keys.last().getByText('used by the dashboard and svc').waitFor();
    await keys
      .last()
      .getByText(/^Workspace: .+/)
      .waitFor();
    await expect.poll(() => page.content()).not.toContain(key);
  });

  it('the key page creates a key with the selected scopes and shows it once', async () => {
    const emulator = await startEmulator();
    const page = await openDashboard(emulator, { hash: '/keys' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Create', exact: true }).isDisabled())
      .toBe(true);
    await dialog.getByLabel('Name').fill('Checkout');
    await dialog.getByLabel('events:read').check();
    await dialog.getByRole('combobox', { name: 'Workspace' }).selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const key = (await dialog.getByText(/^svc_test_/).textContent()) ?? '';
    await dialog.getByRole('button', { name: 'Copy as environment variable' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(`export SVC_API_KEY=${key}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'API keys' }).getByText('Checkout').waitFor();
    await expect.poll(() => page.content()).not.toContain(key);
    const authorization = `Bearer ${key}`;
    await expect
      .poll(() => emulator.api('GET', '/events', undefined, { authorization }))
      .toMatchObject({ status: 200 });
    const refused = await emulator.api('POST', '/events', { type: 'pets.fed' }, { authorization });
    expect(refused.status).toBe(403);
  });

  it('the key page revokes a key after a confirmation', async () => {
    const emulator = await startEmulator();
    const workspace_id = emulator.status().workspace_id;
    const { key } = await emulator.control.createKey({ scopes: ['events:read'], workspace_id });
    const page = await openDashboard(emulator, { hash: '/keys' });
    const newest = page.getByRole('list', { name: 'API keys' }).locator('> li').first();
    await newest.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const ask = () => emulator.api('GET', '/events', undefined, { authorization: `Bearer ${key}` });
    await expect.poll(() => ask()).toMatchObject({ status: 200 });
    await newest.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await newest.getByText(/^revoked (?:just now|\d+s ago)$/).waitFor();
    await expect.poll(() => ask()).toMatchObject({ status: 401 });
  });

  it('the key page warns before it revokes the key of the dashboard', async () => {
    const page = await openDashboard(await startEmulator(), { hash: '/keys' });
    await page.getByText('used by the dashboard').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The dashboard and the svc commands use this key').waitFor();
  });

  it('the key page lists the new keys after a reset', async () => {
    const emulator = await startEmulator();
    await emulator.control.createKey({ scopes: ['events:read'] });
    const page = await openDashboard(emulator, { hash: '/keys' });
    const keys = page.getByRole('list', { name: 'API keys' }).locator('> li');
    await expect.poll(() => keys.count()).toBe(2);
    await emulator.control.reset({});
    await expect.poll(() => keys.count()).toBe(1);
  });

  it('the key page has no accessibility violations in light and dark mode, wide and narrow', async () => {
    const emulator = await startEmulator();
    const { id } = await emulator.control.createKey({ scopes: ['events:read', 'webhooks:manage'] });
    await emulator.control.revokeKey({ id });
    const page = await openDashboard(emulator, { hash: '/keys' });
    await page.getByText('used by the dashboard').waitFor();
    await expectAccessibleAt(page, [360, 1920]);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('events:write').check();
    await expectAccessibleAt(page, [360, 1920]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('it is not shown again').waitFor();
    await expectAccessibleAt(page, [360, 1920]);
  });
});
