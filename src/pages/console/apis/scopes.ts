// …/apis/:api_id/scopes: lists, adds, changes and removes an API's scopes.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ScopeError, validateScope } from '../../../apis/scope-fields.ts';
import { addScope, removeScope, updateScope } from '../../../apis/scopes.ts';
import { validateDescriptions } from '../../../apis/settings-fields.ts';
import type { Services } from '../../../http/services.ts';
import type { ApiScope } from '../../../oauth/api.ts';
import { notFound } from '../../../oauth/errors.ts';
import type { Parameters } from '../../../oauth/parameters.ts';
import { doneMessage, type ValidationError } from '../../../web/form-errors.ts';
import { APIS_URL, apiUrl } from '../layout.ts';
import { ownerOf, requireOwnedApi } from '../sections.ts';
import { scopeRemovalView, scopesView, scopeView } from './scopes-view.ts';

const SCOPES_URL = `${APIS_URL}/:api_id/scopes`;

type ScopeRestrictions = Pick<ApiScope, 'sensitive' | 'agents'>;
const STRICTEST_RESTRICTIONS: ScopeRestrictions = { sensitive: true, agents: false };
/** True if the scope becomes available to agents or is no longer sensitive. */
const relaxesRestrictions = (scope: ScopeRestrictions, before: ScopeRestrictions): boolean =>
  (before.sensitive && !scope.sensitive) || (scope.agents && !before.agents);

const EMPTY_SCOPE: ApiScope = { name: '', fr: '', en: '', sensitive: false, agents: false };

export function apiScopePages(area: FastifyInstance, services: Services): void {
  const { database } = services;

  area.get(SCOPES_URL, async (request, reply) => {
    const api = await requireOwnedApi(request, services);
    return reply.page({
      title: (messages) => messages.apis.scopes.title(api.name),
      main: (messages, locale) =>
        scopesView({ messages, api, locale, done: doneMessage(request, messages.apis.scopes.done) }),
    });
  });

  area.formPage({
    path: `${SCOPES_URL}/new`,
    loadSubject: (request) => requireOwnedApi(request, services),
    initialFields: () => EMPTY_SCOPE,
    parse: readScope,
    validate: ({ fields }) => validateScope(fields).map(toFormError),
    requiresReauthentication: ({ fields }) => relaxesRestrictions(fields, STRICTEST_RESTRICTIONS),
    async act({ request, subject: { apiId }, fields }) {
      const outcome = await addScope(database, ownerOf(request), apiId, fields, services.now());
      if (outcome === 'notFound') throw notFound();
      if (outcome === 'scopeExists') return { errors: [toFormError({ field: 'scope', code: outcome })] };
      if (outcome === 'tooManyScopes') return { errors: [toFormError({ code: outcome })] };
      return `${apiUrl(apiId, 'scopes')}?done=added`;
    },
    render: ({ subject: api, fields: scope }) => ({
      title: (messages) => messages.apis.scopes.add,
      main: (form, locale) => scopeView({ ...form, locale, api, scope, isNew: true }),
    }),
  });

  // The prefix `edit-` avoids conflicts with the paths of other pages.
  area.formPage({
    path: `${SCOPES_URL}/edit-:name`,
    loadSubject: requireOwnScope,
    initialFields: ({ scope }) => scope,
    parse: (form, { scope: { name } }) => ({ ...readScope(form), name }),
    validate: ({ fields }) => validateDescriptions(fields).map(toFormError),
    requiresReauthentication: ({ subject: { scope }, fields }) => relaxesRestrictions(fields, scope),
    inTransaction: true,
    async act({ request, subject: { api, scope }, fields }, transaction) {
      const outcome = await updateScope(transaction, ownerOf(request), api.apiId, fields, services.now());
      if (outcome === 'notFound') throw notFound();
      const to = `${apiUrl(api.apiId, 'scopes')}?done=changed`;
      return {
        to,
        notice: relaxesRestrictions(fields, scope) ? 'api_changed' : undefined,
        subject: api.name,
      };
    },
    render: ({ subject: { api }, fields: scope }) => ({
      title: (messages) => messages.apis.scopes.editTitle(scope.name),
      main: (form, locale) => scopeView({ ...form, locale, api, scope, isNew: false }),
    }),
  });

  area.formPage({
    path: `${SCOPES_URL}/remove-:name`,
    loadSubject: requireOwnScope,
    deletesSubject: true,
    parse: () => ({}),
    async act({ request, subject: { api, scope } }, transaction) {
      await removeScope(transaction, ownerOf(request), api.apiId, scope.name, services.now());
      return `${apiUrl(api.apiId, 'scopes')}?done=removed`;
    },
    render: ({ subject: { api, scope } }) => ({
      title: (messages) => messages.apis.scopes.removeTitle(scope.name),
      main: (form) => scopeRemovalView({ ...form, api, scope }),
    }),
  });

  async function requireOwnScope(request: FastifyRequest) {
    const api = await requireOwnedApi(request, services);
    const { name } = request.params as { name?: string };
    const scope = api.scopes.find((one) => one.name === name);
    if (scope === undefined) throw notFound();
    return { api, scope };
  }
}

function readScope(form: Parameters): ApiScope {
  const traits = form.getAll('traits');
  return {
    name: form.get('scope')?.trim() ?? '',
    fr: form.get('description_fr') ?? '',
    en: form.get('description_en') ?? '',
    sensitive: traits.includes('sensitive'),
    agents: traits.includes('agents'),
  };
}

const toFormError = ({ field, code }: ScopeError): ValidationError => ({
  ...(field !== undefined && { field }),
  text: ({ apis }) => apis.errors[code],
});
