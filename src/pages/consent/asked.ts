// What the consent page asks beside the profile: the APIs in the words of their owners; and what of it can change while it
// is open.
import { hash } from 'node:crypto';
import type { Locale } from '../../i18n/index.ts';
import { agentLook } from '../../oauth/agent-document.ts';
import { type ApiScope, consentElement } from '../../oauth/api.ts';
import { scopesAskedOf } from '../../oauth/selected-scopes.ts';
import type { PendingPage } from '../../web/pending.ts';

/** A scope of an API as it is asked about. */
export interface AskedScope {
  /** As consents spell it. */
  element: string;
  words: string;
  sensitive: boolean;
  /** Whether it has a checkbox. */
  optional: boolean;
}

export interface AskedApi {
  name: string;
  host: string;
  owner: string;
  words: string;
  scopes: AskedScope[];
}

type Asking = Pick<PendingPage, 'pending' | 'facts'>;

/** What is asked of each API, as it stands; where the person is to pick, all that is on offer. */
const askedOf = ({ pending: { request }, facts }: Asking) =>
  request.apis.flatMap((grant) =>
    facts.apis
      .filter((api) => api.apiId === grant.apiId)
      .map((api) => ({
        ...api,
        scopes: scopesAskedOf(request, grant, api),
      })),
  );

/** The same in the reader's language; what its owner says in the other one alone is shown in that. */
export const askedApis = (asking: Asking, locale: Locale): AskedApi[] =>
  askedOf(asking).map((api) => ({
    name: api.name,
    host: new URL(api.identifier).host,
    owner: api.owner,
    words: wordsIn(api, locale),
    scopes: api.scopes.map((scope) => ({
      element: consentElement(api.apiId, scope.name),
      words: wordsIn(scope, locale),
      sensitive: scope.sensitive,
      optional: scope.optional,
    })),
  }));

const wordsIn = (words: Pick<ApiScope, 'fr' | 'en'>, locale: Locale): string =>
  words[locale] || words[locale === 'fr' ? 'en' : 'fr'];

/**
 * What the page says in the words of others than this service, as a digest: what a person agrees to is what they saw.
 * Undefined where there is nothing of the kind.
 */
export function lookOf(asking: Asking): string | undefined {
  const { client } = asking.facts;
  const apis = askedOf(asking).map(({ apiId, name, fr, en, owner, scopes }) => [
    apiId,
    name,
    fr,
    en,
    owner,
    scopes.map((scope) => [scope.name, scope.fr, scope.en, scope.sensitive]),
  ]);
  if (apis.length === 0 && !client.agent) return undefined;
  return hash('sha256', JSON.stringify([client.agent ? agentLook(client) : null, apis]), 'base64url');
}
