// /account/security/app and …/codes: sets up the authenticator app, shows recovery codes.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newSecret, setUp } from '../../credentials/authenticator-app.ts';
import { markCodesCopied, setUpApp, shownCodes } from '../../credentials/second-factor-setup.ts';
import { relyingPartyOf } from '../../credentials/webauthn.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { notFound } from '../../oauth/errors.ts';
import { forgetCookie, readCookie } from '../../web/cookies.ts';
import { openFormToken } from '../../web/csrf.ts';
import { memberOf } from '../../web/member.ts';
import { newFormValue, oneUseForm } from '../../web/one-use-form.ts';
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
import { CODES, leadToCodes } from './security.ts';
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
    elsewhere: ({ asksForCode, returnTo }) => (asksForCode ? returnUrl(returnTo, SECURITY) : undefined),
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
    async act({ request, reply, about: { userId, sid, idHash, returnTo }, fields: { secret } }) {
      const form = oneUseForm(request, parts);
      const code = formOf(request).get('code') ?? '';
      const actor = { userId, sid, idHash, address: addressOf(request) };
      const outcome = await setUpApp(parts, actor, { secret, code, form }, parts.now());
      if (outcome === 'wrong')
        return { faults: [{ field: 'code', text: ({ account }) => account.security.app.codeWrong }] };
      if (outcome === 'there') return returnUrl(returnTo, SECURITY);
      const to = leadToCodes(reply, form.value, returnTo);
      return { to, notice: outcome === 'set' ? 'app_added' : undefined };
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
          formValue: newFormValue(),
        }),
    }),
  });
}

export function securityCodesPage(area: FastifyInstance, parts: Parts): void {
  const codesOf = async (request: FastifyRequest) => {
    const form = readCookie(request, 'shown', CODES);
    const codes = form && (await shownCodes(parts, memberOf(request), form, parts.now()));
    return form && codes ? { form, codes } : undefined;
  };

  area.formPage({
    url: `${SECURITY}/codes`,
    about: async (request, reply) => ({
      shown: await codesOf(request),
      returnTo: await parseReturnTo(request, reply, parts),
    }),
    elsewhere: ({ shown, returnTo }) => (shown === undefined ? returnUrl(returnTo, SECURITY) : undefined),
    read: () => ({}),
    async act({ request, reply, about: { shown, returnTo } }) {
      if (shown !== undefined)
        await markCodesCopied(parts, memberOf(request).userId, shown.form, parts.now());
      forgetCookie(reply, 'shown', CODES);
      return returnUrl(returnTo, `${SECURITY}?done=codes`);
    },
    address: ({ returnTo }) => loginUrl(`${SECURITY}/codes`, returnTo),
    page: ({ about: { shown, returnTo } }) => ({
      returnTo,
      title: (messages) => messages.account.security.codes.title,
      main: (form) =>
        codesView({
          ...form,
          ...returnFields(returnTo),
          framed: !isInLogin(returnTo),
          codes: shown?.codes ?? [],
        }),
    }),
  });

  area.get(`${SECURITY}/codes.txt`, async (request, reply) => {
    const shown = await codesOf(request);
    if (shown === undefined) throw notFound();
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="recovery-codes.txt"')
      .type('text/plain; charset=utf-8')
      .send(`${parts.config.serviceName} (${parts.config.baseUrl})\n\n${shown.codes.join('\n')}\n`);
  });
}
