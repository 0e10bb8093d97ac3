/** What `svc doctor` asks of a running emulator. */
import type { WebhookProbe } from '../contract/resources.ts';
import { type ProbeResult, probeWebhook } from '../delivery/probe-webhook.ts';
import type { Sender, SendResult } from '../delivery/sender.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ControlHandlers } from './in-process-control-plane.ts';

export function createDiagnosisHandlers(
  sandbox: Sandbox,
  sender: Sender,
): Pick<ControlHandlers, 'getDiagnosis' | 'probeWebhook'> {
  return {
    getDiagnosis: async () => {
      const { sizeBytes, schemaVersion, newestSchemaVersion, damage } = sandbox.store.checkIntegrity();
      return {
        database: {
          size_bytes: sizeBytes,
          schema_version: schemaVersion,
          newest_schema_version: newestSchemaVersion,
          damage: [...damage],
        },
      };
    },
    probeWebhook: async (input) => toProbe(await probeWebhook(sandbox, sender, input)),
  };
}

function toProbe({ id, url, connection, responses }: ProbeResult): WebhookProbe {
  const { outcome, error, durationMs, address, certificate } = connection;
  return {
    ...{ webhook_id: id, url },
    connection: {
      ...{ outcome, error, address, duration_ms: durationMs },
      certificate: certificate && {
        issuer: certificate.issuer,
        valid_to: new Date(certificate.validTo).toISOString(),
      },
    },
    genuine: responses && toProbeResponse(responses.genuine),
    forged: responses && toProbeResponse(responses.forged),
  };
}

function toProbeResponse({ outcome, responseStatus, error, durationMs }: SendResult) {
  return { outcome, response_status: responseStatus, error, duration_ms: durationMs };
}
