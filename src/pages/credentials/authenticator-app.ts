// /account/security/app and …/codes: sets up the authenticator app and shows recovery codes.
import type { FastifyInstance } from 'fastify';
import { buildProvisioning, generateSecret } from '../../credentials/authenticator-app.ts';
import { enrollAuthenticatorApp } from '../../credentials/mfa-setup.ts';
import { readForm } from '../../http/parameters.ts';
import { isSafeMethod } from '../../http/request.ts';
import type { Services } from '../../http/services.ts';
import { requestContext } from '../../web/browser.ts';
import { createBrowserFormToken, singleUseFormToken } from '../../web/csrf.ts';
import { readFlash } from '../../web/flash.ts';
import { NEW_PASSKEY_PATH, passkeyCreationOptions, passkeyPageOptions } from '../../web/passkeys.ts';
import {
  destinationClient,
  hasReturnTarget,
  loginUrl,
  parseReturnTo,
  returnFields,
  returnUrl,
  switchAccountUrl,
} from '../../web/return-to.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { authenticatorAppView } from './authenticator-app-view.ts';
import { recoveryCodesView } from './recovery-codes-view.ts';
import { recoveryCodesUrl } from './security.ts';
import { SECURITY_URL } from './security-form-view.ts';

const AUTHENTICATOR_APP_URL = `${SECURITY_URL}/app`;

/** For the sealed form field with the account's ID and the new secret. */
const SEAL_PURPOSE = 'app-being-set-up';

export function authenticatorAppPage(area: FastifyInstance, services: Services): void {
  const { sealer, config } = services;

  area.formPage({
    path: AUTHENTICATOR_APP_URL,
    loadSubject: async (request, reply) => ({
      ...signedInUser(request),
      returnTo: await parseReturnTo(request, reply, services),
    }),
    // A POST isn't redirected because the second POST of a double click must reach the recovery codes.
    respondInstead: ({ requiresTotp, returnTo }, request) =>
      requiresTotp && isSafeMethod(request) ? returnUrl(returnTo, SECURITY_URL) : undefined,
    // A rejected form keeps its secret because the user has already added the secret to the app.
    parse: (form, { userId }) => {
      const [owner, secret] = sealer.openJson<[string, string]>(SEAL_PURPOSE, form.get('secret')) ?? [];
      return { secret: owner === userId && secret !== undefined ? secret : generateSecret() };
    },
    validate: ({ request }) =>
      readForm(request).get('code') === undefined
        ? [{ field: 'code', text: ({ formErrors }) => formErrors.codeMissing }]
        : [],
    requiresVerifiedEmail: true,
    requiresReauthentication: true,
    async act({
      request,
      reply,
      subject: { userId, sid, idHash, startedAt: since, returnTo },
      fields: { secret },
    }) {
      const code = readForm(request).get('code') ?? '';
      // The code is part of the form token. An old form that the browser restores would otherwise count as
      // already submitted.
      const form = singleUseFormToken(request, services, code);
      const actor = { userId, sid, idHash, since, ...requestContext(request) };
      const outcome = await enrollAuthenticatorApp(services, actor, { secret, code, form }, services.now());
      if (outcome === 'wrong')
        return { errors: [{ field: 'code', text: ({ account }) => account.security.app.codeWrong }] };
      if (outcome === 'exists') return returnUrl(returnTo, SECURITY_URL);
      return recoveryCodesUrl(reply, services, outcome.codes, returnTo);
    },
    pageUrl: ({ returnTo }) => loginUrl(AUTHENTICATOR_APP_URL, returnTo),
    render: async ({ request, reply, subject: { returnTo, ...account }, fields: { secret } }) => {
      const isLogin = hasReturnTarget(returnTo);
      const passkeyOptions =
        isLogin && account.passkeyMethods.length === 0
          ? await passkeyCreationOptions(account, services)
          : undefined;
      const { keyUri, qrModules } = buildProvisioning(secret, config.serviceName, account.email);
      return {
        returnTo,
        ...passkeyPageOptions(passkeyOptions),
        title: ({ account: { security } }) => (isLogin ? security.addFactor : security.app).title,
        main: (form) =>
          authenticatorAppView({
            ...form,
            ...returnFields(returnTo),
            login: isLogin
              ? {
                  application: destinationClient(returnTo),
                  account,
                  switchAccountHref: switchAccountUrl(request, returnTo),
                  passkeyOptions,
                  passkeyHref: loginUrl(NEW_PASSKEY_PATH, returnTo),
                  cancelCsrf: createBrowserFormToken(reply, services),
                }
              : undefined,
            keyUri,
            qrModules,
            secret,
            sealedSecret: sealer.sealJson(SEAL_PURPOSE, [account.userId, secret]),
          }),
      };
    },
  });
}

export function recoveryCodesPage(area: FastifyInstance, services: Services): void {
  const { serviceName, baseUrl } = services.config;
  area.get(`${SECURITY_URL}/codes`, async (request, reply) => {
    const returnTo = await parseReturnTo(request, reply, services);
    const codes = readFlash<{ codes: string[] }>(reply, services)?.codes;
    return reply.page({
      returnTo,
      title: (messages) => messages.account.security.codes.title,
      main: (messages) =>
        recoveryCodesView({
          messages,
          codes,
          file: `${serviceName} (${baseUrl})\n\n${codes?.join('\n')}\n`,
          continueHref: returnUrl(returnTo, `${SECURITY_URL}?done=codes`),
          hasApp: signedInUser(request).requiresTotp,
          inAccount: !hasReturnTarget(returnTo),
        }),
    });
  });
}
