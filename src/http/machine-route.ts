// Addresses that applications POST forms to: what all of them check and answer alike, once and in order (D10).
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { credentialsOf, requireClient } from '../grants/credentials.ts';
import { agentRefusal } from '../oauth/agent-document.ts';
import type { PresentedCredentials } from '../oauth/client-authentication.ts';
import { OAuthError, parameterMissing } from '../oauth/errors.ts';
import { faultOf, type Parameters } from '../oauth/parameters.ts';
import { formOf, requireForm } from './parameters.ts';
import type { Parts } from './parts.ts';

/** A request that has everything it needs to be looked into. */
interface MachineRequest<Name extends string> {
  request: FastifyRequest;
  form: Parameters;
  /** The values of the required parameters. */
  required: Readonly<Record<Name, string>>;
  credentials: PresentedCredentials;
  now: Date;
}

interface MachineRoute<Name extends string> extends Pick<FastifyContextConfig, 'cors' | 'diagnostics'> {
  /** What has to be sent, in the order in which it is missed; it may depend on what else is sent. */
  required?: (form: Parameters) => readonly Name[];
  /** `first`: by a statement of its own, before `answer`. `within`: by the statement that decides, which `answer` runs. */
  authentication: 'first' | 'within';
  /** APIs may authenticate here, too. */
  apis?: boolean;
  /** What has to be seen to before anybody can be authenticated. */
  before?: (form: Parameters, request: FastifyRequest) => Promise<void>;
  /** Of a success. */
  status?: 200 | 201;
  /** What is answered as JSON; undefined for an empty body. @throws OAuthError for every refusal */
  answer(sent: MachineRequest<Name>): Promise<object | undefined>;
}

/** Its operator has closed the service to the agent since it got what it brings. */
const UNWANTED = { kind: 'agent_unreadable' } as const;

/** Opens an address for applications. */
export function machineRoute<Name extends string>(
  app: FastifyInstance,
  { config, database, usage, now: clock }: Parts,
  url: string,
  {
    required = () => [],
    authentication,
    apis,
    status = 200,
    before,
    answer,
    ...declared
  }: MachineRoute<Name>,
): void {
  const options = { preHandler: requireForm, config: { caller: 'application', ...declared } } as const;
  app.post(url, options, async (request, reply) => {
    const form = formOf(request);
    const fault = faultOf(form);
    if (fault !== undefined) throw fault;
    const values = {} as Record<Name, string>;
    for (const name of required(form)) {
      const value = form.get(name);
      if (value === undefined) throw parameterMissing(name);
      values[name] = value;
    }
    await before?.(form, request);
    const now = clock();
    const { authorization } = request.headers;
    const credentials = await credentialsOf(database, config.baseUrl, form, authorization, { now, apis });
    const unwanted = agentRefusal(credentials.clientId, config);
    if (unwanted !== undefined) throw new OAuthError(401, 'invalid_client', unwanted, UNWANTED);
    if (authentication === 'first') await requireClient(database, credentials, now);
    const content = await answer({ request, form, required: values, credentials, now });
    usage.secretUsed(credentials.clientId, credentials.proof, now); // whichever statement accepted it
    reply.code(status).header('pragma', 'no-cache');
    if (content === undefined) return reply.send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(content));
  });
}
