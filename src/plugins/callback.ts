// The way back to the application: a redirect, or a form that the browser posts there (D6).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callbackFormView } from '../html/callback-form.ts';
import { answerParameters, type Callback, callbackAddress } from '../oauth/authorization-request.ts';
import type { Parts } from '../parts.ts';
import { sendPage } from './page.ts';

/** The script that sends the form at once; without it there is a button. */
const SUBMIT = '/submit.js';

/** Sends the browser to the application with an answer (D2, D6, D8). */
export function answerCallback(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  callback: Callback & { uiLocales?: string | undefined },
  answer: Record<string, string>,
): FastifyReply {
  const { baseUrl } = parts.config;
  if (callback.responseMode === 'query')
    return reply.redirect(callbackAddress(callback, baseUrl, answer), 303);
  // The application may look at the Origin of what it is sent; the page's address stays with us.
  reply.header('referrer-policy', 'strict-origin');
  return sendPage(request, reply, parts, {
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
