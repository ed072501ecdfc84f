// A client's display name and the path of its administration page.
import type { Messages } from '../../i18n/index.ts';
import { getMetadataHost } from '../../oauth/client-metadata.ts';
import { isDynamicClientId, isMetadataClientId } from '../../oauth/secrets.ts';

interface NamedClient {
  clientId: string;
  name: string;
}

/** Returns an agent's host or "self-registered" because an agent can choose any name. */
export const clientDisplayName = ({ clientId, name }: NamedClient, { agents }: Messages): string =>
  getMetadataHost(clientId) ?? (isDynamicClientId(clientId) ? agents.selfRegistered : name);

export const adminClientPath = (clientId: string): string =>
  `/console/operations/${isMetadataClientId(clientId) || isDynamicClientId(clientId) ? 'agents' : 'applications'}/${encodeURIComponent(clientId)}`;
