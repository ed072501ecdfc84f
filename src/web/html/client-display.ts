// A client's display name and the path of its administration page.
import type { Messages } from '../../i18n/index.ts';
import { getMetadataHost } from '../../oauth/client-metadata.ts';
import { isDynamicClientId, isMetadataClientId } from '../../oauth/secrets.ts';

interface NamedClient {
  clientId: string;
  name: string;
}

/** Agents can choose any name, so their host or "self-registered" is shown. */
export const clientDisplayName = ({ clientId, name }: NamedClient, { agents }: Messages): string =>
  getMetadataHost(clientId) ?? (isDynamicClientId(clientId) ? agents.selfRegistered : name);

export const adminClientPath = (clientId: string): string =>
  `/console/operations/${isMetadataClientId(clientId) || isDynamicClientId(clientId) ? 'agents' : 'applications'}/${encodeURIComponent(clientId)}`;
