// Sends authorization responses to the client, by redirect or by form post (RFC 6749 §4.1.2).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordRefusal } from '../http/diagnostics.ts';
import type { Services } from '../http/services.ts';
import type { Messages } from '../i18n/index.ts';
import {
  type AuthorizationRequest,
  buildResponseParameters,
  buildResponseUrl,
  type ResponseTarget,
} from '../oauth/authorization-request.ts';
import { unauthenticatedClient } from '../oauth/client-authentication.ts';
import { accessDenied } from '../oauth/errors.ts';
import { submitButton } from './html/buttons.ts';
import { hiddenInput } from './html/fields.ts';
import { type Html, html } from './html/html.ts';
import { acceptsHtml } from './page.ts';

const SUBMIT_SCRIPT = '/submit.js';

/**
 * @param description the `error_description`, which states what the user declined
 * @throws OAuthError 403 `access_denied` if the request accepts JSON but not HTML
 */
export function sendAccessDenied(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  authorization: AuthorizationRequest,
  description: string,
): FastifyReply {
  const denial = accessDenied(description).withDiagnostics(unauthenticatedClient(authorization.clientId));
  if (!acceptsHtml(request) && /\bapplication\/json\b/i.test(request.headers.accept ?? '')) throw denial;
  recordRefusal(request, denial, services);
  return sendAuthorizationResponse(reply, authorization, {
    error: denial.error,
    error_description: denial.description,
  });
}

/** Redirects to the client. In response mode `form_post`, a page posts the parameters instead. */
export function sendAuthorizationResponse(
  reply: FastifyReply,
  target: ResponseTarget & { uiLocales?: string | undefined },
  response: Record<string, string>,
): FastifyReply {
  const { baseUrl } = reply.server.config;
  if (target.responseMode === 'query')
    return reply.redirect(buildResponseUrl(target, baseUrl, response), 303);
  // With this policy, the form post includes an Origin header but not this page's URL.
  reply.header('referrer-policy', 'strict-origin');
  return reply.page({
    title: (messages) => messages.callback.title,
    postsToClient: true,
    scripts: [SUBMIT_SCRIPT],
    uiLocales: target.uiLocales,
    main: (messages) =>
      formPostView({
        messages,
        action: target.redirectUri,
        parameters: buildResponseParameters(target, baseUrl, response),
      }),
  });
}

function formPostView(view: {
  messages: Messages;
  action: string;
  parameters: Record<string, string>;
}): Html {
  const { title, text, action } = view.messages.callback;
  return html`<div class="door-open"><h1>${title}</h1></div>
<p class="lead">${text}</p>
<form class="form" method="post" action="${view.action}" data-submit>
${Object.entries(view.parameters).map(([name, value]) => hiddenInput(name, value))}
${submitButton({ text: action })}
</form>`;
}
