// Where this service's metadata is for whoever knows it as an authorization server (RFC 8414 §3), and what it tells agents there:
// for what serves it, and for what looks at whether that arrives.
import type { AgentPolicy } from './agent-document.ts';

export const SERVER_METADATA = '/.well-known/oauth-authorization-server';
export const serverMetadataAddress = (baseUrl: string): string => `${baseUrl}${SERVER_METADATA}`;

/** How an agent that nobody registered may identify itself; a member that is not there says that it may not (D49, D55). */
export const metadataForAgents = (
  config: AgentPolicy,
): { client_id_metadata_document_supported?: true; registration_endpoint?: string } => ({
  ...(config.agents.length > 0 && { client_id_metadata_document_supported: true }),
  ...(config.agentsRegistration && { registration_endpoint: `${config.baseUrl}/oauth/register` }),
});
