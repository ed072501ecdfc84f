// The way back to the application: a redirect, or a form that the browser posts there (D6).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteRefusedRequest } from '../http/diagnostics.ts';
import type { Parts } from '../http/parts.ts';
import type { Messages } from '../i18n/index.ts';
import {
  type AuthorizationRequest,
  answerParameters,
  type Callback,
  callbackAddress,
} from '../oauth/authorization-request.ts';
import { named } from '../oauth/client-authentication.ts';
import { accessDenied } from '../oauth/errors.ts';
import { hiddenInput, submitButton } from './html/form.ts';
import { type Html, html } from './html/html.ts';
import { wantsPage } from './page.ts';

/** The script that sends the form at once; without it there is a button. */
const SUBMIT = '/submit.js';

/**
 * Tells the application that the person does not want this (D8), and its owner; in JSON who sent the form, if it asks so.
 * @param description for the application: where the person turned back
 * @throws OAuthError 403 `access_denied` for JSON
 */
export function answerRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  authorization: AuthorizationRequest,
  description: string,
): FastifyReply {
  const refusal = accessDenied(description).from(named(authorization.clientId));
  if (!wantsPage(request) && /\bapplication\/json\b/i.test(request.headers.accept ?? '')) throw refusal;
  noteRefusedRequest(request, refusal, parts);
  return answerCallback(reply, authorization, {
    error: refusal.error,
    error_description: refusal.description,
  });
}

/** Sends the browser to the application with an answer (D2, D6, D8). */
export function answerCallback(
  reply: FastifyReply,
  callback: Callback & { uiLocales?: string | undefined },
  answer: Record<string, string>,
): FastifyReply {
  const { baseUrl } = reply.server.config;
  if (callback.responseMode === 'query')
    return reply.redirect(callbackAddress(callback, baseUrl, answer), 303);
  // The application may look at the Origin of what it is sent; the page's address stays with us.
  reply.header('referrer-policy', 'strict-origin');
  return reply.page({
    title: (messages) => messages.callback.title,
    formsLeave: true,
    scripts: [SUBMIT],
    uiLocales: callback.uiLocales,
    main: (messages) =>
      callbackFormView({
        messages,
        action: callback.redirectUri,
        parameters: answerParameters(callback, baseUrl, answer),
      }),
  });
}

/** `action` is a registered callback URL. */
function callbackFormView(view: {
  messages: Messages;
  action: string;
  parameters: Record<string, string>;
}): Html {
  const { title, text, action } = view.messages.callback;
  return html`<div class="inside"><h1>${title}</h1></div>
<p class="lead">${text}</p>
<form class="form" method="post" action="${view.action}" data-submit>
${Object.entries(view.parameters).map(([name, value]) => hiddenInput(name, value))}
${submitButton({ text: action })}
</form>`;
}
