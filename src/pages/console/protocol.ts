// /console/applications/:client_id/protocol: what an application wants of OpenID Connect beyond the contract.
import type { FastifyInstance } from 'fastify';
import { changeProtocol } from '../../applications/changes.ts';
import { protocolFaults, readKeys } from '../../applications/protocol-fields.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { SIGNING_ALGORITHMS } from '../../oauth/signing-algorithms.ts';
import type { OwnApplication, ProtocolSettings } from '../../store/applications.ts';
import { listDeliveries } from '../../store/logout-deliveries.ts';
import { APPLICATIONS, applicationAddress } from './frame-view.ts';
import { CLAIMS_CHOICES, type ProtocolForm, protocolView } from './protocol-view.ts';
import { ownApplication, ownerOf } from './sections.ts';
import { linesOf, settingsError } from './settings-errors.ts';

const DELIVERIES = 20;

export function protocolPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.formPage({
    url: `${APPLICATIONS}/:client_id/protocol`,
    async about(request) {
      return { application: await ownApplication(request, parts) };
    },
    begin: ({ application }) => formOfSettings(application),
    read: readProtocol,
    async faults({ about: { application }, fields }) {
      const keys = await keysOf(application, fields);
      return [
        ...protocolFaults(settingsOfForm(fields), application.type, config.production),
        ...(keys !== null && 'fault' in keys ? [keys] : []),
      ].map(settingsError(fields.postLogoutRedirectUris));
    },
    proof: true,
    async act({ request, about: { application }, fields }) {
      const { clientId, name } = application;
      const jwks = await keysOf(application, fields);
      if (jwks !== null && 'fault' in jwks) return { faults: [settingsError()(jwks)] };
      const [owner, settings] = [ownerOf(request), { ...settingsOfForm(fields), jwks }];
      const outcome = await database.transaction((transaction) =>
        changeProtocol(transaction, owner, clientId, settings, parts.now()),
      );
      if (outcome === 'gone') throw notFound();
      const to = `${applicationAddress(clientId, 'protocol')}?done=changed`;
      return { to, notice: 'application_changed', subject: name };
    },
    done: ({ protocol }) => ({ changed: protocol.done }),
    async page({ about: { application }, fields }) {
      const deliveries = await listDeliveries(database, application.clientId, DELIVERIES);
      return {
        title: (messages) => messages.protocol.title(application.name),
        main: (form) => protocolView({ ...form, application, fields, deliveries }),
      };
    },
  });
}

/** A public application has none. */
const keysOf = async ({ type }: OwnApplication, { jwks }: ProtocolForm) =>
  type === 'confidential' ? readKeys(jwks) : null;

const readProtocol = (form: Parameters): ProtocolForm => ({
  idTokenAlgorithm: SIGNING_ALGORITHMS.find((name) => name === form.get('id_token_algorithm')) ?? 'RS256',
  idTokenClaims: CLAIMS_CHOICES.find((name) => name === form.get('id_token_claims')) ?? 'auto',
  parRequired: form.get('par_required') === 'on',
  pkceRequired: form.get('pkce_required') === 'on',
  secondFactorRequired: form.get('second_factor_required') === 'on',
  deviceFlow: form.get('device_flow') === 'on',
  postLogoutRedirectUris: form.get('post_logout_redirect_uris') ?? '',
  backchannelLogoutUri: form.get('backchannel_logout_uri')?.trim() ?? '',
  jwks: form.get('jwks') ?? '',
});

const settingsOfForm = (fields: ProtocolForm): Omit<ProtocolSettings, 'jwks'> => ({
  ...fields,
  idTokenClaims: fields.idTokenClaims === 'auto' ? null : fields.idTokenClaims === 'always',
  postLogoutRedirectUris: [...new Set(linesOf(fields.postLogoutRedirectUris))],
  backchannelLogoutUri: fields.backchannelLogoutUri || null,
});

const formOfSettings = (settings: ProtocolSettings): ProtocolForm => ({
  ...settings,
  idTokenClaims: settings.idTokenClaims === null ? 'auto' : settings.idTokenClaims ? 'always' : 'never',
  postLogoutRedirectUris: settings.postLogoutRedirectUris.join('\n'),
  backchannelLogoutUri: settings.backchannelLogoutUri ?? '',
  jwks: settings.jwks === null ? '' : JSON.stringify(settings.jwks, null, 2),
});
