/** The connections of a client to an emulator that serves HTTPS. Loaded when an address is HTTPS. */
import { Agent, globalAgent } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';

/** One for each `ca`: what it trusts takes tens of milliseconds to read. */
const agents = new Map<string, Agent>();

/** Trusts the certificates of `ca`, in PEM, beside the usual ones. */
export function getHttpsAgent(ca: string | undefined): Agent {
  if (ca === undefined) return globalAgent;
  const agent = agents.get(ca) ?? createAgent(ca);
  agents.set(ca, agent);
  return agent;
}

function createAgent(ca: string): Agent {
  const secureContext = createSecureContext({ ca: [...rootCertificates, ca] });
  return new Agent({ keepAlive: true, secureContext });
}
