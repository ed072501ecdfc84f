// Addresses that applications POST forms to: what all of them check and answer alike, once and in order (D10).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { credentialsOf, requireClient } from '../grants/credentials.ts';
import type { PresentedCredentials } from '../oauth/client-authentication.ts';
import { parameterMissing } from '../oauth/errors.ts';
import { faultOf, type Parameters } from '../oauth/parameters.ts';
import { formOf, requireForm } from './parameters.ts';
import type { Parts } from './parts.ts';
import type { RefusedEndpoint } from './route-config.ts';

/** A request that has everything it needs to be looked into. */
interface MachineRequest<Required extends string> {
  request: FastifyRequest;
  form: Parameters;
  /** The values of the required parameters. */
  required: Readonly<Record<Required, string>>;
  credentials: PresentedCredentials;
  now: Date;
}

interface MachineRoute<Required extends string> {
  /** What its refusals are kept under in the diagnostics of applications. */
  diagnostics: RefusedEndpoint;
  /** Whether scripts of every site may call it (D29). */
  cors?: boolean;
  /** What has to be sent, in the order in which it is missed; it may depend on what else is sent. */
  required?: (form: Parameters) => readonly Required[];
  /** `first`: by a statement of its own, before `answer`. `within`: by the statement that decides, which `answer` runs. */
  authentication: 'first' | 'within';
  /** Of a success. */
  status?: 200 | 201;
  /** What is answered as JSON; undefined for an empty body. @throws OAuthError for every refusal */
  answer(sent: MachineRequest<Required>): Promise<object | undefined>;
}

/** Opens an address for applications. */
export function machineRoute<Required extends string>(
  app: FastifyInstance,
  parts: Parts,
  url: string,
  {
    diagnostics,
    cors = false,
    required = () => [],
    authentication,
    status = 200,
    answer,
  }: MachineRoute<Required>,
): void {
  const { config, database } = parts;
  const options = { preHandler: requireForm, config: { caller: 'application', diagnostics, cors } } as const;
  app.post(url, options, async (request, reply) => {
    const form = formOf(request);
    const fault = faultOf(form);
    if (fault !== undefined) throw fault;
    const values: Partial<Record<Required, string>> = {};
    for (const name of required(form)) {
      const value = form.get(name);
      if (value === undefined) throw parameterMissing(name);
      values[name] = value;
    }
    const now = parts.now();
    const { authorization } = request.headers;
    const credentials = await credentialsOf(database, config.baseUrl, form, authorization, now);
    if (authentication === 'first') await requireClient(database, credentials, now);
    const content = await answer({
      request,
      form,
      required: values as Record<Required, string>,
      credentials,
      now,
    });
    reply.code(status).header('pragma', 'no-cache');
    if (content === undefined) return reply.send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(content));
  });
}
