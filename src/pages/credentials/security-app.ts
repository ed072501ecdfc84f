// /account/security/app and …/codes: sets up the authenticator app, shows recovery codes.
import type { FastifyInstance } from 'fastify';
import { newSecret, setUp } from '../../credentials/authenticator-app.ts';
import { setUpApp } from '../../credentials/second-factor-setup.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { isSafe } from '../../http/request.ts';
import { fromOf } from '../../web/browser.ts';
import { oneUse, openFormToken } from '../../web/csrf.ts';
import { readFlash } from '../../web/flash.ts';
import { memberOf } from '../../web/member.ts';
import { NEW_PASSKEY } from '../../web/passkeys.ts';
import {
  destinationOf,
  isInLogin,
  loginUrl,
  parseReturnTo,
  returnFields,
  returnUrl,
  switchAccountUrl,
} from '../../web/return-to.ts';
import { leadToCodes } from './security.ts';
import { SECURITY } from './security-form-view.ts';
import { appView, codesView } from './security-view.ts';

const APP = `${SECURITY}/app`;

/** The secret on its way through the page, sealed for its account. */
const PURPOSE = 'app-being-set-up';

export function securityAppPage(area: FastifyInstance, parts: Parts): void {
  const { sealer, config } = parts;

  area.formPage({
    url: APP,
    about: async (request, reply) => ({
      ...memberOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    // A form that is sent twice leads to its codes.
    elsewhere: ({ asksForCode, returnTo }, request) =>
      asksForCode && isSafe(request) ? returnUrl(returnTo, SECURITY) : undefined,
    // The same secret for as long as the form is put right: it is in the app by then.
    read: (form, { userId }) => {
      const [owner, secret] = sealer.openJson<[string, string]>(PURPOSE, form.get('secret')) ?? [];
      return { secret: owner === userId && secret !== undefined ? secret : newSecret() };
    },
    faults: ({ request }) =>
      formOf(request).get('code') === undefined
        ? [{ field: 'code', text: ({ problems }) => problems.codeMissing }]
        : [],
    verifiedEmail: true,
    proof: true,
    async act({
      request,
      reply,
      about: { userId, sid, idHash, startedAt: since, returnTo },
      fields: { secret },
    }) {
      const code = formOf(request).get('code') ?? '';
      // Not the form alone: the browser may show it again after the app was removed.
      const form = oneUse(request, parts, code);
      const actor = { userId, sid, idHash, since, ...fromOf(request) };
      const outcome = await setUpApp(parts, actor, { secret, code, form }, parts.now());
      if (outcome === 'wrong')
        return { faults: [{ field: 'code', text: ({ account }) => account.security.app.codeWrong }] };
      if (outcome === 'there') return returnUrl(returnTo, SECURITY);
      return leadToCodes(reply, parts, outcome.codes, returnTo);
    },
    address: ({ returnTo }) => loginUrl(APP, returnTo),
    page: ({ request, reply, about: { returnTo, ...account }, fields: { secret } }) => ({
      returnTo,
      title: (messages) => messages.account.security.app.title,
      main: (form) =>
        appView({
          ...form,
          ...returnFields(returnTo),
          entry: isInLogin(returnTo)
            ? {
                application: destinationOf(returnTo),
                account,
                switchAccountHref: switchAccountUrl(request, returnTo),
                passkeyHref: relyingPartyOf(config) && loginUrl(NEW_PASSKEY, returnTo),
                cancelCsrf: openFormToken(reply, parts),
              }
            : undefined,
          ...setUp(secret, config.serviceName, account.email),
          secret,
          sealedSecret: sealer.sealJson(PURPOSE, [account.userId, secret]),
        }),
    }),
  });
}

export function securityCodesPage(area: FastifyInstance, parts: Parts): void {
  const { serviceName, baseUrl } = parts.config;
  area.get(`${SECURITY}/codes`, async (request, reply) => {
    const returnTo = await parseReturnTo(request, reply, parts);
    const codes = readFlash<{ codes: string[] }>(reply, parts)?.codes;
    return reply.page({
      returnTo,
      title: (messages) => messages.account.security.codes.title,
      main: (messages) =>
        codesView({
          messages,
          codes,
          file: `${serviceName} (${baseUrl})\n\n${codes?.join('\n')}\n`,
          onward: returnUrl(returnTo, `${SECURITY}?done=codes`),
          framed: !isInLogin(returnTo),
        }),
    });
  });
}
