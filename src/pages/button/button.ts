// GET /button: documents the sign-in button for client developers.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { loadSession } from '../../web/browser.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { buttonStylesheetPath, logoPath } from '../../web/html/asset-paths.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { codeBlock } from '../../web/html/code.ts';
import { type Html, html, render } from '../../web/html/html.ts';
import { authorizeUrl, buttonPreviews, signInButton } from '../../web/html/signin-button.ts';

export function buttonPage(app: FastifyInstance, services: Services): void {
  app.get('/button', async (request, reply) =>
    reply.page({
      title: (messages) => messages.integrate.button.title,
      account: await loadSession(request, services),
      isWide: true,
      stylesheets: [buttonStylesheetPath],
      main: (messages) => buttonView(messages, services.config),
    }),
  );
}

const EXAMPLE_REQUEST = {
  clientId: 'CLIENT_ID',
  redirectUri: 'https://application.example/callback',
  scopes: ['openid', 'profile', 'email'],
  state: 'STATE',
};

function buttonView(messages: Messages, { baseUrl, serviceName }: Services['config']): Html {
  const { button: text, ...words } = messages.integrate;
  const exampleUrl = authorizeUrl(baseUrl, EXAMPLE_REQUEST);
  const buttonMarkup = (variant: 'light' | 'dark') =>
    render(signInButton({ baseUrl, serviceName, variant, href: exampleUrl }));
  return html`<h1>${text.title}</h1>
<p class="lead">${text.lead(serviceName)}</p>
<h2>${text.preview}</h2>
${buttonPreviews({ messages, serviceName, href: authorizeUrl('', EXAMPLE_REQUEST), isInert: true })}
<h2>${text.copyTitle}</h2>
${codeBlock({ id: 'button-html', name: text.html, text: buttonMarkup('light'), language: 'html', labels: words })}
${codeBlock({ id: 'button-html-dark', name: text.htmlDark, text: buttonMarkup('dark'), language: 'html', labels: words })}
${codeBlock({ id: 'button-css', name: text.css, text: buttonStylesheet, language: 'css', labels: words })}
<p>${text.cssNote(`${baseUrl}${buttonStylesheetPath}`)}</p>
<p>${text.own}</p>
<p class="actions">${buttonLink({ text: text.ownLink, href: '/console/applications', kind: 'secondary' })}</p>
<h2>${text.rules}</h2>
<dl class="facts facts--framed">
<div><dt>${text.text}</dt><dd>${text.textRule(serviceName)}</dd></div>
<div><dt>${text.height}</dt><dd>${text.heightRule}</dd></div>
<div><dt>${text.logo}</dt><dd>${text.logoRule}</dd></div>
<div><dt>${text.logoAddress}</dt><dd><code>${`${baseUrl}${logoPath}`}</code></dd></div>
<div><dt>${text.background}</dt><dd>${text.backgroundRule}</dd></div>
<div><dt>${text.variants}</dt><dd>${text.variantsRule}</dd></div>
<div><dt>${text.values}</dt><dd>${text.valuesNote}</dd></div>
</dl>
<h2>${text.address}</h2>
<p>${text.addressNote}</p>
${codeBlock({ id: 'button-address', name: text.addressExample, text: exampleUrl, language: 'plain', labels: words })}
<dl class="facts facts--framed">
${Object.entries(text.parameters).map(
  ([name, rule]) => html`<div><dt><code>${name}</code></dt><dd>${rule}</dd></div>
`,
)}</dl>
<p>${text.addressLibrary}</p>`;
}
