// GET /button: the sign-in button for developers of client applications; open to everybody.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { sessionOf } from '../../web/browser.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { buttonStylesheetPath, logoPath } from '../../web/html/asset-paths.ts';
import { codeBlock } from '../../web/html/code.ts';
import { buttonLink } from '../../web/html/form.ts';
import { type Html, html, render } from '../../web/html/html.ts';
import { authorizeAddress, previews, signInButton } from '../../web/html/signin-button.ts';

export function buttonPage(app: FastifyInstance, parts: Parts): void {
  app.get('/button', async (request, reply) =>
    reply.page({
      title: (messages) => messages.integrate.button.title,
      account: await sessionOf(request, parts),
      wide: true,
      stylesheets: [buttonStylesheetPath],
      main: (messages) => buttonView(messages, parts.config),
    }),
  );
}

/** What stands in the address for values that every application has of its own. */
const EXAMPLE = {
  clientId: 'CLIENT_ID',
  redirectUri: 'https://application.example/callback',
  scopes: ['openid', 'profile', 'email'],
  state: 'STATE',
};

function buttonView(messages: Messages, { baseUrl, serviceName }: Parts['config']): Html {
  const { button: text, ...words } = messages.integrate;
  const address = authorizeAddress(baseUrl, EXAMPLE);
  const markup = (variant: 'light' | 'dark') =>
    render(signInButton({ baseUrl, serviceName, variant, href: address }));
  return html`<h1>${text.title}</h1>
<p class="lead">${text.lead(serviceName)}</p>
<h2>${text.preview}</h2>
${previews({ messages, serviceName, href: authorizeAddress('', EXAMPLE) })}
<p class="quiet">${text.previewNote}</p>
<h2>${text.copyTitle}</h2>
${codeBlock({ id: 'button-html', name: text.html, text: markup('light'), language: 'html', words })}
${codeBlock({ id: 'button-html-dark', name: text.htmlDark, text: markup('dark'), language: 'html', words })}
${codeBlock({ id: 'button-css', name: text.css, text: buttonStylesheet, language: 'css', words })}
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
</dl>
<h2>${text.values}</h2>
<p>${text.valuesNote}</p>
${valueTable(messages)}
<h2>${text.address}</h2>
<p>${text.addressNote}</p>
${codeBlock({ id: 'button-address', name: text.addressExample, text: address, language: 'plain', words })}
<dl class="facts facts--framed">
${Object.entries(text.parameters).map(
  ([name, rule]) => html`<div><dt><code>${name}</code></dt><dd>${rule}</dd></div>
`,
)}</dl>
<p>${text.addressLibrary}</p>`;
}

/** The constants of contract §1, as they stand in the stylesheet. */
function valueTable(messages: Messages): Html {
  const { button: text } = messages.integrate;
  const { properties } = text;
  const both = (name: string, value: string) =>
    html`<tr><th scope="row">${name}</th><td colspan="2">${value}</td></tr>
`;
  const each = (name: string, light: string, dark: string) =>
    html`<tr><th scope="row">${name}</th><td>${light}</td><td>${dark}</td></tr>
`;
  return html`<table class="values">
<thead><tr><th scope="col">${text.property}</th><th scope="col">${text.lightColumn}</th><th scope="col">${text.darkColumn}</th></tr></thead>
<tbody>
${both(properties.layout, text.sameLayout)}${both(properties.height, '40px')}${both(properties.padding, '10px 20px')}${each(properties.background, '#ffffff', '#4f46e5')}${each(properties.border, '2px solid #e5e7eb', '2px solid #4f46e5')}${both(properties.radius, '10px')}${both(properties.font, text.sameFont)}${each(properties.color, '#1f2937', '#ffffff')}${both(properties.decoration, text.none)}${both(properties.cursor, 'pointer')}${both(properties.transition, 'all 0.2s ease')}${both(properties.shadow, '0 1px 3px rgba(0, 0, 0, 0.08)')}${both(properties.logo, text.logoSize)}${each(properties.hover, text.hoverLight, text.hoverDark)}${both(properties.hoverLift, text.hoverBoth)}</tbody>
</table>`;
}
