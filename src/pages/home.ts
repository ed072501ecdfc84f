// GET /: where one lands without being on the way to an application.
import type { FastifyInstance } from 'fastify';
import { avatarAddress } from '../html/avatar-address.ts';
import type { Parts } from '../parts.ts';
import { sessionIdOf, sessionOf } from '../plugins/browser.ts';
import { csrfToken } from '../plugins/csrf.ts';
import { sendPage } from '../plugins/page.ts';
import { queryOf } from '../plugins/parameters.ts';
import { homeView, welcomeView } from './views/home.ts';

/** Where signing out leads. */
export const SIGNED_OUT = '/?signed-out=1';

export function homePage(app: FastifyInstance, parts: Parts): void {
  const { serviceName, signUpOpen } = parts.config;

  app.get('/', async (request, reply) => {
    const id = sessionIdOf(request, parts);
    const session = await sessionOf(request, parts);
    if (id === undefined || session === undefined)
      return sendPage(request, reply, parts, {
        title: (messages) => messages.home.welcomeTitle,
        main: (messages) =>
          welcomeView({
            messages,
            serviceName,
            signInHref: '/signin',
            signUpHref: signUpOpen ? '/signup' : undefined,
            notice: queryOf(request).get('signed-out') && messages.signOut.done,
          }),
      });
    const avatar = avatarAddress('', session.name);
    return sendPage(request, reply, parts, {
      title: (messages) => messages.home.title,
      account: session,
      main: (messages) =>
        homeView({
          messages,
          serviceName,
          csrf: csrfToken(parts.sealer, id),
          account: { ...session, phone: session.phone ?? undefined, avatar },
        }),
    });
  });
}
