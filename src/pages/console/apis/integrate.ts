// GET /console/apis/:api_id/integrate: the code to copy, filled for one API.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import type { Messages } from '../../../i18n/index.ts';
import { challengeOf, metadataAddressOf, protectedResource } from '../../../oauth/protected-resource.ts';
import type { OwnApi } from '../../../store/own-apis.ts';
import { codeBlock, copiedFact, prose } from '../../../web/html/code.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { APIS, apiAddress, way } from '../frame-view.ts';
import { ownApi } from '../sections.ts';
import { type ApiSnippet, apiSnippetsFor, type ProtectedApi, scopesOf } from '../snippets/catalogue.ts';

export function integrateApiPage(area: FastifyInstance, parts: Parts): void {
  area.get(`${APIS}/:api_id/integrate`, async (request, reply) => {
    const api = await ownApi(request, parts);
    return reply.page({
      title: (messages) => messages.apiIntegrate.title(api.name),
      main: (messages) =>
        integrateView({
          messages,
          api,
          issuer: parts.config.baseUrl,
          chosen: queryOf(request).get('library'),
        }),
    });
  });
}

type IntegrateView = {
  messages: Messages;
  api: OwnApi;
  issuer: string;
  chosen: string | undefined;
};

function integrateView(view: IntegrateView): Html {
  const { messages, api, issuer } = view;
  const text = messages.apiIntegrate;
  const shown = { ...api, scopes: api.scopes.map(({ name }) => name) };
  return html`${way(messages, api, 'integrate')}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${
  api.scopes.length === 0 &&
  html`<div class="notice">
<p>${prose(text.noScopes)}</p>
<p><a href="${apiAddress(api.apiId, 'scopes/new')}">${text.addScope}</a></p>
</div>`
}
${code(view, shown)}
<h2>${text.documentTitle}</h2>
${documentOf(shown, issuer, messages)}
<h2>${text.challengeTitle}</h2>
${challenges(shown, messages)}
<h2>${text.checksTitle}</h2>
<ul>
${text.checks(messages.apis.detail.lasting(api.tokenLifetime)).map(
  (check) => html`<li>${prose(check)}</li>
`,
)}</ul>
<h2>${text.facts}</h2>
${facts(shown, issuer, messages)}`;
}

function code({ messages, api, issuer, chosen }: IntegrateView, shown: ProtectedApi): Html | undefined {
  const text = messages.apiIntegrate;
  const snippets = apiSnippetsFor(shown, { issuer });
  const snippet = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  if (snippet === undefined) return undefined;
  const address = apiAddress(api.apiId, 'integrate');
  return html`<nav class="tabs" aria-label="${text.libraries}">
<ul>
${snippets.map(
  ({ id }) =>
    html`<li><a href="${address}?library=${id}"${id === snippet.id && html` aria-current="true"`}>${text.tabs[id]}</a></li>
`,
)}</ul>
</nav>
${snippetView(snippet, api, messages)}`;
}

function snippetView({ id, install, files }: ApiSnippet, { apiId }: OwnApi, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const { title, about } = text.snippets[id];
  return html`<section class="snippet" id="${id}" aria-labelledby="${id}-title">
<h2 class="snippet-title" id="${id}-title">${title}</h2>
${install && codeBlock({ id: 'install', name: words.page.terminal, language: 'sh', text: install, words })}
${files.map(
  (
    { name, language, text: content },
    index,
  ) => html`${codeBlock({ id: `${id}-${index + 1}`, name, language, text: content, words })}
`,
)}<p>${prose(about)}</p>
${id === 'introspect' && html`<p><a href="${apiAddress(apiId, 'secrets')}">${text.secrets}</a></p>`}
</section>`;
}

function documentOf(api: ProtectedApi, issuer: string, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const document = protectedResource(api.identifier, issuer, scopesOf(api));
  return html`<p>${prose(text.documentText)}</p>
<dl class="facts facts--framed">
${copiedFact({ label: text.documentAddress, id: 'document-address', text: metadataAddressOf(api.identifier), words })}
</dl>
${codeBlock({ id: 'document', name: text.documentName, language: 'plain', text: JSON.stringify(document, null, 2), words })}`;
}

function challenges(api: ProtectedApi, messages: Messages): Html {
  const { apiIntegrate: text, integrate: words } = messages;
  const challenge = challengeOf(api.identifier, scopesOf(api).slice(0, 1));
  const header = (id: string, name: string, error = '') =>
    codeBlock({ id, name, language: 'plain', text: `WWW-Authenticate: Bearer ${error}${challenge}`, words });
  return html`<p>${prose(text.challengeText)}</p>
${header('challenge', text.challengeMissing)}
${header('challenge-scope', text.challengeScope, 'error="insufficient_scope", ')}`;
}

function facts({ apiId, identifier }: ProtectedApi, issuer: string, messages: Messages): Html {
  const { apiIntegrate: text, apis, integrate: words } = messages;
  const fact = (label: string, id: string, value: string) => copiedFact({ label, id, text: value, words });
  return html`<dl class="facts facts--framed">
${fact(text.identifier, 'identifier', identifier)}
${fact(text.issuer, 'issuer', issuer)}
${fact(text.keys, 'keys', `${issuer}/.well-known/jwks.json`)}
${fact(text.metadata, 'metadata', `${issuer}/.well-known/oauth-authorization-server`)}
${fact(text.introspection, 'introspection', `${issuer}/oauth/introspect`)}
${fact(apis.detail.apiId, 'api-id', apiId)}
</dl>`;
}
