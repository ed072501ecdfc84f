// GET /: where one lands without being on the way to an application. Whoever is signed in goes on to their account.
import type { FastifyInstance } from 'fastify';
import type { Messages } from '../i18n/index.ts';
import type { Parts } from '../parts.ts';
import { chosenLanguage, sessionOf } from '../plugins/browser.ts';
import { sendPage } from '../plugins/page.ts';
import { queryOf } from '../plugins/parameters.ts';
import { welcomeView } from './views/home.ts';

/** Where signing out leads. */
export const SIGNED_OUT = '/?signed-out=1';
/** Where deleting an account leads. */
export const DELETED = '/?deleted=1';

const NOTICES: readonly (readonly [name: string, text: (messages: Messages) => string])[] = [
  ['signed-out', (messages) => messages.signOut.done],
  ['deleted', (messages) => messages.account.deletion.done],
];

export function homePage(app: FastifyInstance, parts: Parts): void {
  const { serviceName, signUpOpen } = parts.config;

  app.get('/', async (request, reply) => {
    if ((await sessionOf(request, parts)) !== undefined) {
      const language = chosenLanguage(request);
      return reply.redirect(language === undefined ? '/account' : `/account?lang=${language}`, 303);
    }
    const query = queryOf(request);
    const notice = NOTICES.find(([name]) => query.get(name) !== undefined)?.[1];
    return sendPage(request, reply, parts, {
      title: (messages) => messages.home.welcomeTitle,
      main: (messages) =>
        welcomeView({
          messages,
          serviceName,
          signInHref: '/signin',
          signUpHref: signUpOpen ? '/signup' : undefined,
          notice: notice?.(messages),
        }),
    });
  });
}
