// /console/apis/:api_id/scopes and below: the scopes of an API, adding, changing and removing one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ScopeFault, scopeFaults, scopeWordsFaults } from '../../../apis/scope-fields.ts';
import { addScope, changeScope, removeScope } from '../../../apis/scopes.ts';
import type { Parts } from '../../../http/parts.ts';
import type { ApiScope } from '../../../oauth/api.ts';
import { notFound } from '../../../oauth/errors.ts';
import type { Parameters } from '../../../oauth/parameters.ts';
import { doneOf, type Fault } from '../../../web/faults.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { ownApi, ownerOf } from '../sections.ts';
import { removeScopeView, scopesView, scopeView } from './scopes-view.ts';

const SCOPES = `${APIS}/:api_id/scopes`;

type Traits = Pick<ApiScope, 'sensitive' | 'agents'>;
const STRICT: Traits = { sensitive: true, agents: false };
/** Whether a scope asks for less care, or is open to more clients, than before. */
const isLooser = (scope: Traits, before: Traits): boolean =>
  (before.sensitive && !scope.sensitive) || (scope.agents && !before.agents);

const BLANK: ApiScope = { name: '', fr: '', en: '', sensitive: false, agents: false };

export function apiScopePages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(SCOPES, async (request, reply) => {
    const api = await ownApi(request, parts);
    return reply.page({
      title: (messages) => messages.apis.scopes.title(api.name),
      main: (messages, locale) =>
        scopesView({ messages, api, locale, done: doneOf(request, messages.apis.scopes.done) }),
    });
  });

  area.formPage({
    url: `${SCOPES}/new`,
    about: (request) => ownApi(request, parts),
    begin: () => BLANK,
    read: readScope,
    faults: ({ fields }) => scopeFaults(fields).map(inWords),
    proof: ({ fields }) => isLooser(fields, STRICT),
    async act({ request, about: { apiId }, fields }) {
      const outcome = await addScope(database, ownerOf(request), apiId, fields, parts.now());
      if (outcome === 'gone') throw notFound();
      if (outcome === 'scopeExists') return { faults: [inWords({ field: 'scope', fault: outcome })] };
      if (outcome === 'tooManyScopes') return { faults: [inWords({ fault: outcome })] };
      return `${apiAddress(apiId, 'scopes')}?done=added`;
    },
    page: ({ about: api, fields: scope }) => ({
      title: (messages) => messages.apis.scopes.add,
      main: (form) => scopeView({ ...form, api, scope, isNew: true }),
    }),
  });

  // No scope is called like an address: what precedes its name is ours.
  area.formPage({
    url: `${SCOPES}/edit-:name`,
    about: ownScope,
    begin: ({ scope }) => scope,
    read: (form, { scope: { name } }) => ({ ...readScope(form), name }),
    faults: ({ fields }) => scopeWordsFaults(fields).map(inWords),
    proof: ({ about: { scope }, fields }) => isLooser(fields, scope),
    inTransaction: true,
    async act({ request, about: { api, scope }, fields }, transaction) {
      const outcome = await changeScope(transaction, ownerOf(request), api.apiId, fields, parts.now());
      if (outcome === 'gone') throw notFound();
      const to = `${apiAddress(api.apiId, 'scopes')}?done=changed`;
      return { to, notice: isLooser(fields, scope) ? 'api_changed' : undefined, subject: api.name };
    },
    page: ({ about: { api }, fields: scope }) => ({
      title: (messages) => messages.apis.scopes.editTitle(scope.name),
      main: (form) => scopeView({ ...form, api, scope, isNew: false }),
    }),
  });

  area.formPage({
    url: `${SCOPES}/remove-:name`,
    about: ownScope,
    deletes: true,
    read: () => ({}),
    async act({ request, about: { api, scope } }, transaction) {
      await removeScope(transaction, ownerOf(request), api.apiId, scope.name, parts.now());
      return `${apiAddress(api.apiId, 'scopes')}?done=removed`;
    },
    page: ({ about: { api, scope } }) => ({
      title: (messages) => messages.apis.scopes.removeTitle(scope.name),
      main: (form) => removeScopeView({ ...form, api, scope }),
    }),
  });

  /** @throws OAuthError `not_found` when the API is not the person's own, or has no such scope */
  async function ownScope(request: FastifyRequest) {
    const api = await ownApi(request, parts);
    const { name } = request.params as { name?: string };
    const scope = api.scopes.find((one) => one.name === name);
    if (scope === undefined) throw notFound();
    return { api, scope };
  }
}

function readScope(form: Parameters): ApiScope {
  const traits = form.all('traits');
  return {
    name: form.get('scope')?.trim() ?? '',
    fr: form.get('words_fr') ?? '',
    en: form.get('words_en') ?? '',
    sensitive: traits.includes('sensitive'),
    agents: traits.includes('agents'),
  };
}

const inWords = ({ field, fault }: ScopeFault): Fault => ({
  ...(field !== undefined && { field }),
  text: ({ apis }) => apis.faults[fault],
});
