/** The exploration of a receiver on the page of its endpoint. */
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { parseHistoryText } from '../../src/receiver/explore/history.ts';
import {
  type ReceiverParts,
  SECRET,
  startConfigurableReceiver,
  storeKey,
} from '../receiver/configurable-receiver.ts';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, type OpenOptions, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

/** The exploration on the page of an endpoint with a receiver. */
async function open(parts: Partial<ReceiverParts> = {}, openOptions: OpenOptions = {}) {
  const receiver = await startConfigurableReceiver(parts);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const { id } = await emulator.control.createWebhook({ url: receiver.url, secret: SECRET });
  const page = await openDashboard(emulator, { hash: `/webhooks/${id}`, ...openOptions });
  const section = page.getByRole('region', { name: 'Explore the receiver' });
  const fill = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(fields)) await section.getByLabel(label).fill(value);
  };
  const press = (name: string) => section.getByRole('button', { name, exact: true }).click();
  return { emulator, control: emulator.control, id, receiver, page, section, fill, press };
}

describeInBrowser('the exploration of a receiver in the dashboard', () => {
  it('the page shows the smallest history that breaks a rule, wide and narrow, and saves it in a file', async () => {
    const { page, section, receiver, fill, press } = await open({ storeKey: () => true });
    await fill({ 'URL of the effects': receiver.effectsUrl, Seed: '1' });
    await press('duplicate');
    await expect.poll(() => section.getByLabel('Only these disturbances').inputValue()).toBe('duplicate');
    await press('Start');
    const result = section.getByRole('region', { name: 'Result' });
    await section.getByText('Broken rule: once').waitFor();
    const command = `svc receiver explore ${receiver.url} --seed 1 --observe ${receiver.effectsUrl} --only duplicate`;
    for (const width of [360, 1440]) {
      await expectAccessibleAt(page, [width]);
      expect(await result.getByRole('row').allInnerTexts()).toEqual([
        expect.stringMatching(/^Step\s+Sent\s+Received\s+Broken rule$/),
        expect.stringMatching(/^1\s+deliver event 1 \(\S+\)\s+status 204\s*$/),
        expect.stringMatching(/^2\s+deliver event 1 \(\S+\) again.*\s+status 204\s+once$/),
      ]);
      await result.getByText('Fails every time (3 of 3).').waitFor();
      await result.getByText('a customer can be charged or notified twice').waitFor();
      await result.getByText(command, { exact: true }).waitFor();
    }
    const downloading = page.waitForEvent('download');
    await press('Download the history');
    const download = await downloading;
    const text = readFileSync(await download.path(), 'utf8');
    const history = parseHistoryText(text, 'the file');
    expect(download.suggestedFilename()).toBe(`history-1-${history.run}.json`);
    expect(history).toMatchObject({
      receiver: { url: receiver.url, observe: receiver.effectsUrl },
      steps: [{ kind: 'deliver' }, { kind: 'deliver' }],
    });
  });

  it('the page says that no history broke a rule, and which rules were not checked', async () => {
    const { section, fill, press } = await open();
    await fill({ 'Number of histories': '3', 'Only these disturbances': 'duplicate, forged' });
    await press('Start');
    const result = section.getByRole('region', { name: 'Result' });
    await section
      .getByText(/Played 3 histories with \d+ deliveries in \S+, seed \d+\. None broke a rule\./)
      .waitFor();
    await section.getByText('so the rules about effects were not checked').waitFor();
    expect(await result.getByRole('table').count()).toBe(0);
  });

  it('the page shows an error at the field that has an invalid value', async () => {
    const { section, fill, press } = await open({}, { expectedErrors: /422/ });
    await fill({ Time: 'soon' });
    await press('Start');
    await section.getByText('Must be a duration such as 30s or 5m.').waitFor();
    await fill({ Time: '', 'URL of the effects': 'cat effects.json' });
    await press('Start');
    await section.getByText('Must be an http or https URL.').waitFor();
    await fill({ 'URL of the effects': '', 'Only these disturbances': 'chaos' });
    await press('Start');
    await section.getByText(/^only\[0\] must be one of "duplicate", "concurrent"/).waitFor();
  });

  it('the page shows the progress, and Cancel ends the exploration with what is known', async () => {
    const { control, id, section, fill, press } = await open();
    await fill({ Time: '1h', 'Only these disturbances': 'pause' });
    await press('Start');
    await section.getByText(/^Searching: \d+ histor(?:y|ies), \d+ deliver(?:y|ies), /).waitFor();
    await press('Cancel');
    await section.getByText(/^Interrupted after \d+ histor/).waitFor();
    expect(await control.getExploration({ id })).toEqual({ exploration: null });
    expect(await section.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  });

  it('an exploration ends when the user leaves the page', async () => {
    const { control, id, page, section, fill, press } = await open({ storeKey });
    await fill({ Time: '1h', 'Only these disturbances': 'pause' });
    await press('Start');
    await section.getByText(/^Searching: /).waitFor();
    await page.getByRole('link', { name: 'All endpoints' }).click();
    await page.getByText('The exploration was stopped.').waitFor();
    await expect.poll(() => control.getExploration({ id })).toEqual({ exploration: null });
  });
});
