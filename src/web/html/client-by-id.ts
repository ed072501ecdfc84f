// Owns what an application is called, and where operators find it, by its Client ID and its name alone.
import type { Messages } from '../../i18n/index.ts';
import { agentHost } from '../../oauth/agent-document.ts';
import { isAgentAddress, isAgentId } from '../../oauth/secrets.ts';

interface Known {
  clientId: string;
  name: string;
}

/** Its name, unless nobody registered it, for then that could be anybody's: an agent is called by the host of its document. */
export const calledById = ({ clientId, name }: Known, { agents }: Messages): string =>
  agentHost(clientId) ?? (isAgentId(clientId) ? agents.selfRegistered : name);

/** Its page among the operators', be it an application or an agent. */
export const operatorsPage = (clientId: string): string =>
  `/console/operations/${isAgentAddress(clientId) || isAgentId(clientId) ? 'agents' : 'applications'}/${encodeURIComponent(clientId)}`;
