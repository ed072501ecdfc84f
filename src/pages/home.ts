// GET /: where one lands without being on the way to an application.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { avatarAddress } from '../html/avatar-address.ts';
import { callbackHost } from '../oauth/redirect-uri.ts';
import { parseScope } from '../oauth/scopes.ts';
import type { Parts } from '../parts.ts';
import { sessionIdOf, sessionOf } from '../plugins/browser.ts';
import { csrfToken } from '../plugins/csrf.ts';
import { sendPage } from '../plugins/page.ts';
import { queryOf } from '../plugins/parameters.ts';
import { type ConsentRow, listConsents } from '../store/consents.ts';
import { type ConnectedApplication, homeView, welcomeView } from './views/home.ts';

/** Where signing out leads. */
export const SIGNED_OUT = '/?signed-out=1';
/** Where withdrawing a consent leads. */
export const WITHDRAWN = '/?withdrawn=1';

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
            notice: noticeOf(request, 'signed-out', messages.signOut.done),
          }),
      });
    const avatar = avatarAddress('', session.name);
    const applications = (await listConsents(parts.database, session.userId)).map(connectedApplication);
    return sendPage(request, reply, parts, {
      title: (messages) => messages.home.title,
      account: session,
      main: (messages) =>
        homeView({
          messages,
          serviceName,
          csrf: csrfToken(parts.sealer, id),
          account: { ...session, phone: session.phone ?? undefined, avatar },
          applications,
          notice: noticeOf(request, 'withdrawn', messages.home.withdrawn),
        }),
    });
  });
}

/** What a redirect to here asks to be said. */
const noticeOf = (request: FastifyRequest, name: string, text: string): string | undefined =>
  queryOf(request).get(name) === undefined ? undefined : text;

const connectedApplication = (consent: ConsentRow): ConnectedApplication => ({
  clientId: consent.clientId,
  name: consent.applicationName,
  hosts: [...new Set(consent.redirectUris.map(callbackHost))],
  scopes: parseScope(consent.scopes.join(' ')),
  allowedOn: consent.grantedAt,
});
