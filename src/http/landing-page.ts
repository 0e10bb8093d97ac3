import type { Addresses } from './addresses.ts';

/** What a browser shows at `/`: where everything is. */
export function landingPage({ baseUrl, controlUrl }: Addresses): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc emulator</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark; }
  code { font-family: ui-monospace, monospace; }
  dt { font-weight: 600; margin-top: 1rem; }
</style>
<h1>svc emulator</h1>
<p>The sandbox of the Workspace Events and Webhooks API is running here.</p>
<dl>
  <dt>The API</dt><dd><code>${baseUrl}</code>, described by <a href="/openapi.json">openapi.json</a></dd>
  <dt>The control plane</dt><dd><code>${controlUrl}</code>, described by <a href="/_svc/openapi.json">openapi.json</a></dd>
  <dt>Deliveries</dt><dd><a href="/_svc/deliveries">as JSON</a>, live with <code>svc deliveries tail</code></dd>
</dl>
</html>
`;
}
