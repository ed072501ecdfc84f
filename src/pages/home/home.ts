// GET /: the welcome page. Redirects signed-in users to their account.
import type { FastifyInstance } from 'fastify';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import type { Messages } from '../../i18n/index.ts';
import { loadSession, requestedLocale } from '../../web/browser.ts';
import { buttonLink } from '../../web/html/buttons.ts';
import { type Html, html } from '../../web/html/html.ts';
import { type IconName, icon } from '../../web/html/icons.ts';
import { notice } from '../../web/html/notices.ts';

export function homePage(app: FastifyInstance, services: Services): void {
  const { serviceName, signUp } = services.config;

  app.get('/', async (request, reply) => {
    if ((await loadSession(request, services)) !== undefined) {
      const language = requestedLocale(request);
      return reply.redirect(language === undefined ? '/account' : `/account?lang=${language}`, 303);
    }
    const query = readQuery(request);
    const doneText = ({ signOut, account }: Messages) => {
      if (query.get('signed-out') !== undefined) return signOut.done;
      return query.get('deleted') === undefined ? undefined : account.deletion.done;
    };
    return reply.page({
      title: (messages) => messages.home.welcomeTitle,
      main: (messages) => html`${notice(doneText(messages))}
<h1>${messages.home.welcomeTitle}</h1>
<p class="lead">${messages.home.welcome(serviceName)}</p>
<p class="actions">
${buttonLink({ text: messages.signIn.action, href: '/signin' })}
${signUp === 'open' && buttonLink({ text: messages.signIn.signUp, href: '/signup', kind: 'secondary' })}
</p>
<section class="developers">
<h2>${messages.home.developers}</h2>
<p class="quiet">${messages.home.developersText}</p>
<ul>
${iconLink('/console/applications/new', 'app-window', messages.home.register)}
${iconLink('/button', 'log-in', messages.home.button)}
${iconLink('/.well-known/openid-configuration', 'code-xml', messages.home.discovery)}
</ul>
</section>`,
    });
  });
}

const iconLink = (href: string, name: IconName, text: string): Html =>
  html`<li><a class="touch-target" href="${href}">${icon(name)}<span>${text}</span></a></li>`;
