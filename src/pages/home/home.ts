// GET /: where one lands without being on the way to an application. Whoever is signed in goes on to their account.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import { chosenLanguage, sessionOf } from '../../web/browser.ts';
import { welcomeView } from './home-view.ts';

const NOTICES: readonly (readonly [name: string, text: (messages: Messages) => string])[] = [
  ['signed-out', (messages) => messages.signOut.done],
  ['deleted', (messages) => messages.account.deletion.done],
];

export function homePage(app: FastifyInstance, parts: Parts): void {
  const { serviceName, signUp } = parts.config;

  app.get('/', async (request, reply) => {
    if ((await sessionOf(request, parts)) !== undefined) {
      const language = chosenLanguage(request);
      return reply.redirect(language === undefined ? '/account' : `/account?lang=${language}`, 303);
    }
    const query = queryOf(request);
    const notice = NOTICES.find(([name]) => query.get(name) !== undefined)?.[1];
    return reply.page({
      title: (messages) => messages.home.welcomeTitle,
      main: (messages) =>
        welcomeView({
          messages,
          serviceName,
          signInHref: '/signin',
          signUpHref: signUp === 'open' ? '/signup' : undefined,
          notice: notice?.(messages),
        }),
    });
  });
}
