/** Protection against other pages in a real browser. The rules of the emulator are tested in test/http. */
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { startEmulator } from './open-emulator.ts';

/** Another site on this machine. The emulator is at 127.0.0.1, and all ports of a host share their cookies. */
async function startForeignSite(host = 'localhost'): Promise<string> {
  const server = createServer((_, response) => {
    const headers = { 'content-type': 'text/html', 'access-control-allow-origin': '*' };
    response.writeHead(200, headers).end('<!doctype html><title>foreign</title>');
  });
  return `http://${host}:${await listenDuringTest(server)}`;
}

describeInBrowser('in a browser', () => {
  it('the content security policy blocks injected markup and requests to other hosts [dashboard.content-policy]', async () => {
    const page = await openDashboard(await startEmulator(), {
      expectedErrors: /Content Security Policy|TrustedHTML|Refused|violates/,
    });
    const site = await startForeignSite();
    expect((await fetch(site)).status).toBe(200);
    const results = await page.evaluate(async (site) => {
      const tries = {
        markup: () => {
          document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="document.title = \'run\'">');
        },
        elsewhere: () => fetch(site),
      };
      const names: string[] = [];
      for (const [name, attempt] of Object.entries(tries)) {
        try {
          await attempt();
        } catch {
          names.push(name);
        }
      }
      return { names, title: document.title };
    }, site);
    expect(results.names).toEqual(['markup', 'elsewhere']);
    expect(results.title).not.toBe('run');
  });

  it.each(['localhost', '127.0.0.1'])(
    'a page of another site at %s cannot change, read or embed anything [dashboard.other-sites]',
    async (host) => {
      const emulator = await startEmulator({ controlToken: 'the-cookie-has-it' });
      const { url, control_url, control_token, started_at } = emulator.status();
      const page = await openDashboard(emulator, { expectedErrors: /./ });
      const icon = await page.locator('link[rel=icon]').evaluate((link) => (link as HTMLLinkElement).href);
      await page.goto(await startForeignSite(host));
      const got = await page.evaluate(
        async ({ url, control_url, icon }) => {
          const outcome = (attempt: Promise<unknown>) =>
            attempt.then(
              () => 'read',
              () => 'refused',
            );
          const post = (init: RequestInit) =>
            fetch(`${control_url}/stop`, { method: 'POST', body: '{}', ...init });
          const json = { 'content-type': 'application/json' };
          const load = (tag: 'script' | 'img' | 'iframe', src: string) =>
            new Promise<void>((resolve, reject) => {
              const element = document.createElement(tag);
              element.onload = () => resolve();
              element.onerror = () => reject(new Error());
              element.src = src;
              document.body.append(element);
            });
          const stream = new Promise<void>((resolve, reject) => {
            const source = new EventSource(`${control_url}/stream`);
            source.addEventListener('ready', () => resolve());
            source.onerror = () => reject(new Error());
          });
          // The result is opaque: the page cannot see the response.
          await post({ mode: 'no-cors' }).catch(() => {});
          for (const enctype of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
            const form = document.createElement('form');
            Object.assign(form, {
              method: 'post',
              enctype,
              action: `${control_url}/stop`,
              target: 'response',
            });
            const response = document.createElement('iframe');
            response.name = 'response';
            document.body.append(response, form);
            const loaded = new Promise((resolve) => response.addEventListener('load', resolve));
            form.submit();
            await loaded;
            response.remove();
          }
          const frame = document.createElement('iframe');
          await new Promise((resolve) => {
            frame.onload = resolve;
            frame.src = url;
            document.body.append(frame);
          });
          return {
            json: await outcome(post({ headers: json })),
            read: await outcome(fetch(`${control_url}/status`)),
            stream: await outcome(stream),
            script: await outcome(load('script', `${control_url}/status`)),
            image: await outcome(load('img', icon)),
          };
        },
        { url, control_url, icon },
      );
      const refused = ['json', 'read', 'stream', 'script', 'image'].map((name) => [name, 'refused']);
      expect(got).toEqual(Object.fromEntries(refused));
      expect(page.frames().map((frame) => frame.url())).not.toContain(`${url}/`);
      const headers = { authorization: `Bearer ${control_token}` };
      expect(await (await fetch(`${control_url}/status`, { headers })).json()).toMatchObject({ started_at });
    },
  );

  it('the dashboard link works from a page of another site, and leaves no token in the URL', async () => {
    const emulator = await startEmulator({ host: '0.0.0.0' });
    const site = await startForeignSite();
    const page = await openDashboard(await startEmulator());
    await page.goto(site);
    await page.evaluate((href) => {
      document.body.innerHTML = `<a href="${href}#/events">the link</a>`;
    }, emulator.status().dashboard_url);
    await page.getByText('the link').click();
    await page.getByRole('main').waitFor();
    await expect.poll(() => page.url()).toBe(`${emulator.status().url}/#/events`);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const status = await page.evaluate(async () => (await fetch('/_svc/status')).status);
    expect(status).toBe(200);
  });
});
