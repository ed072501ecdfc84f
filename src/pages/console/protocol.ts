// /console/applications/:client_id/protocol: what an application wants of OpenID Connect beyond the contract.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { protocolFaults, readKeys } from '../../applications/protocol-fields.ts';
import { changeProtocol } from '../../applications/protocol-settings.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { SIGNING_ALGORITHMS } from '../../oauth/signing-algorithms.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { listDeliveries } from '../../store/logout-deliveries.ts';
import { findProtocolSettings, type ProtocolSettings } from '../../store/protocol-settings.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { isRecent, memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { confirmationFaults, ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { CLAIMS_CHOICES, type ProtocolForm, protocolView } from './protocol-view.ts';
import { linesOf, protocolFaultInWords } from './typed.ts';

const ADDRESS = `${APPLICATIONS}/:client_id/protocol`;
const DELIVERIES = 20;

export function protocolPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(ADDRESS, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const settings = await findProtocolSettings(database, memberOf(request).userId, application.clientId);
    if (settings === undefined) throw notFound();
    return show(request, reply, application, formOfSettings(settings), []);
  });

  area.post(ADDRESS, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const fields = readProtocol(formOf(request));
    const settings = settingsOfForm(fields);
    const jwks = application.type === 'confidential' ? await readKeys(fields.jwks) : null;
    const found = protocolFaults(settings, application.type, config.production);
    if (jwks !== null && 'fault' in jwks) found.push(jwks);
    const faults = found.map(protocolFaultInWords);
    if (faults.length === 0) faults.push(...(await confirmationFaults(request, parts)));
    if (faults.length > 0 || (jwks !== null && 'fault' in jwks))
      return show(request, reply, application, fields, faults);
    const { clientId } = application;
    const owner = ownerOf(request);
    const outcome = await database.transaction((transaction) =>
      changeProtocol(transaction, owner, clientId, { ...settings, jwks }, parts.now()),
    );
    if (outcome === 'gone') throw notFound();
    if (outcome !== 'changed') {
      const fault = { field: 'resources', fault: 'resourceTaken', entry: outcome.taken } as const;
      return show(request, reply, application, fields, [protocolFaultInWords(fault)]);
    }
    await noticeToMember(request, reply, parts, 'application_changed', application.name);
    return reply.redirect(`${applicationAddress(clientId, 'protocol')}?done=changed`, 303);
  });

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    fields: ProtocolForm,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const member = memberOf(request);
    const deliveries = await listDeliveries(database, application.clientId, DELIVERIES);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.protocol.title(application.name),
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        protocolView({
          messages,
          csrf: member.csrf,
          application,
          fields,
          deliveries,
          recent: isRecent(member, parts.now()),
          notice: doneOf(request, { changed: messages.protocol.done }),
          errors: inWords(faults, messages),
        }),
    });
  }
}

const readProtocol = (form: Parameters): ProtocolForm => ({
  idTokenAlgorithm: SIGNING_ALGORITHMS.find((name) => name === form.get('id_token_algorithm')) ?? 'RS256',
  idTokenClaims: CLAIMS_CHOICES.find((name) => name === form.get('id_token_claims')) ?? 'auto',
  parRequired: form.get('par_required') === 'on',
  pkceRequired: form.get('pkce_required') === 'on',
  deviceFlow: form.get('device_flow') === 'on',
  postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
  backchannelLogoutUri: form.get('backchannel_logout_uri')?.trim() ?? '',
  resources: form.get('resources') ?? '',
  serviceScopes: form.get('service_scopes') ?? '',
  jwks: form.get('jwks') ?? '',
});

const settingsOfForm = (fields: ProtocolForm): Omit<ProtocolSettings, 'jwks'> => ({
  ...fields,
  idTokenClaims: fields.idTokenClaims === 'auto' ? null : fields.idTokenClaims === 'always',
  postLogoutRedirectUris: [...new Set(linesOf(fields.postLogoutRedirectUris))],
  backchannelLogoutUri: fields.backchannelLogoutUri || null,
  resources: [...new Set(linesOf(fields.resources))],
  serviceScopes: [...new Set(fields.serviceScopes.split(/\s+/).filter(Boolean))],
});

const formOfSettings = (settings: ProtocolSettings): ProtocolForm => ({
  ...settings,
  idTokenClaims: settings.idTokenClaims === null ? 'auto' : settings.idTokenClaims ? 'always' : 'never',
  postLogoutRedirectUris: settings.postLogoutRedirectUris.join('\n'),
  backchannelLogoutUri: settings.backchannelLogoutUri ?? '',
  resources: settings.resources.join('\n'),
  serviceScopes: settings.serviceScopes.join(' '),
  jwks: settings.jwks === null ? '' : JSON.stringify(settings.jwks, null, 2),
});
