// /console/applications/:client_id/apis and …/apis/end: what an application may do at APIs on its own account.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AskFault, askForAccess, endAccess } from '../../apis/service-access.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OwnApplication } from '../../store/applications.ts';
import {
  findServiceAccessRow,
  listAccessOfClient,
  type ServiceAccessRow,
} from '../../store/service-access.ts';
import type { Fault } from '../../web/faults.ts';
import { applicationApisView, applicationEndView, endAddress } from './application-apis-view.ts';
import { APPLICATIONS, applicationAddress } from './frame-view.ts';
import { confidentialApplication, ownerOf } from './sections.ts';

const PAGE = `${APPLICATIONS}/:client_id/apis`;

/** The fields that faults of a request belong to. */
const FIELDS: Partial<Record<string, string>> = {
  identifierMissing: 'identifier',
  unknown: 'identifier',
  exists: 'identifier',
  scopesMissing: 'scopes',
  scopeUnknown: 'scopes',
};

export function applicationApisPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: PAGE,
    about: (request) => confidentialApplication(request, parts),
    read: (form) => ({
      identifier: form.get('identifier')?.trim() ?? '',
      scopes: form.get('scopes')?.trim() ?? '',
    }),
    faults: ({ fields: { identifier, scopes } }) => [
      ...(identifier === '' ? [faultOf('identifierMissing')] : []),
      ...(scopes === '' ? [faultOf('scopesMissing')] : []),
    ],
    proof: true,
    async act({ request, about: { clientId, name }, fields }) {
      const scopes = [...new Set(fields.scopes.split(/\s+/))];
      const wish = { clientId, identifier: fields.identifier, scopes };
      const outcome = await askForAccess(parts, ownerOf(request), wish, parts.now());
      const to = `${applicationAddress(clientId, 'apis')}?done=${outcome}`;
      if (outcome === 'asked') return to;
      // Both are the person's own: what was granted is theirs to know of.
      if (outcome === 'granted') return { to, notice: 'service_access_granted', subject: name };
      return { ...(outcome === 'tooOften' && { status: 429 }), faults: [faultOf(outcome)] };
    },
    done: ({ serviceAccess }) => serviceAccess.client.done,
    async page({ about: application, fields }) {
      const rows = await listAccessOfClient(database, application.clientId);
      return {
        title: (messages) => messages.serviceAccess.client.title(application.name),
        main: (form) => applicationApisView({ ...form, application, rows, typed: fields }),
      };
    },
  });

  area.formPage({
    url: `${PAGE}/end`,
    about: accessOf,
    address: ({ row: { clientId, apiId } }) => endAddress(clientId, apiId),
    read: () => ({}),
    proof: true,
    deletes: true,
    async act({ request, about: { row } }, transaction) {
      await endAccess(parts, transaction, ownerOf(request), row, parts.now());
      return `${applicationAddress(row.clientId, 'apis')}?done=ended`;
    },
    page: ({ about: { application, row } }) => ({
      title: ({ serviceAccess }) => serviceAccess.ending.title(row.clientName, row.apiName),
      main: (form) => applicationEndView({ ...form, application, row }),
    }),
  });

  /** @throws OAuthError `not_found` when the application is not the person's own, or has nothing of that API */
  async function accessOf(
    request: FastifyRequest,
  ): Promise<{ application: OwnApplication; row: ServiceAccessRow }> {
    const application = await confidentialApplication(request, parts);
    const apiId = queryOf(request).get('api_id') ?? '';
    const row = await findServiceAccessRow(database, { apiId, clientId: application.clientId });
    if (row === undefined) throw notFound();
    return { application, row };
  }
}

function faultOf(fault: AskFault | 'identifierMissing' | 'scopesMissing'): Fault {
  const field = FIELDS[fault];
  return { ...(field && { field }), text: ({ serviceAccess }) => serviceAccess.client.faults[fault] };
}
