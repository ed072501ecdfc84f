// Whatever a hook or a route throws becomes an answer here: JSON for machines, a page for people (D1, D10).
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteRefusedRequest } from '../http/diagnostics.ts';
import { failureOf, PageFault } from '../http/failures.ts';
import { formTypeFault, wrongContentType } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { headerOf } from '../http/request.ts';
import { pathOf } from '../http/route-config.ts';
import type { Failure, Messages } from '../i18n/index.ts';
import {
  bodyTooLarge,
  invalidRequest,
  methodNotAllowed,
  notFound,
  OAuthError,
  serverError,
  temporarilyUnavailable,
} from '../oauth/errors.ts';
import { isOutrun, isUnavailable } from '../store/database.ts';
import { buttonLink } from './html/form.ts';
import { reachOperators } from './html/house.ts';
import { type Html, html } from './html/html.ts';
import { sendPage, wantsPage } from './page.ts';

/** Addresses that only machines call: their errors are JSON whatever the Accept header says. */
const MACHINE = /^\/(oauth\/(?!(?:authorize|logout)(?:$|[/?]))|\.well-known\/|livez|readyz|metrics$)/;

type ErrorParts = Pick<Parts, 'activity' | 'config' | 'diagnostics' | 'keys' | 'now'>;

export function errorHandler(app: FastifyInstance, parts: ErrorParts): void {
  app.setErrorHandler((error, request, reply) =>
    // A peer that hangs up while it sends looks like a lost database otherwise.
    answer(
      error === request.raw.errored
        ? invalidRequest('The request did not arrive completely.', { kind: 'request_incomplete' })
        : error,
      request,
      reply,
      parts,
    ),
  );
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(app, pathOf(request));
    return answer(
      allowed.length > 0 ? methodNotAllowed(allowed, request.method) : notFound(),
      request,
      reply,
      parts,
    );
  });
}

function asOAuthError(error: unknown, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof PageFault) return error.refusal;
  if (isUnavailable(error) || isOutrun(error)) return temporarilyUnavailable(error);
  const { statusCode } = error as FastifyError;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return serverError(error);
  if (statusCode === 413) return bodyTooLarge();
  if (statusCode === 415)
    return formTypeFault(request) ?? wrongContentType(headerOf(request, 'content-type'));
  return invalidRequest('The request cannot be read.', { kind: 'request_unreadable' });
}

function answer(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ErrorParts,
): FastifyReply {
  const error = asOAuthError(thrown, request);
  const page = thrown instanceof PageFault ? thrown : undefined;
  request.refusal = error;
  const machine = MACHINE.test(request.url) || !wantsPage(request);
  noteRefusedRequest(request, error, parts, !machine && !isNowhere(error, page));
  // A refusal for want of room has no cause: the request's own line says it, and a flood should not cost two.
  if (error.status === 500 || (error.status > 500 && error.cause !== undefined))
    request.log.error({ error: error.error, err: error.cause }, 'request failed');
  reply.code(error.status).headers(error.headers);
  return machine ? sendError(error, reply) : sendErrorPage(error, page, request, reply);
}

/** The one shape of a machine-facing error (RFC 6749 §5.2, D10). */
function sendError(error: OAuthError, reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: error.error, error_description: error.description }));
}

function sendErrorPage(
  error: OAuthError,
  page: PageFault | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return sendPage(reply, {
    status: error.status,
    isError: true,
    account: undefined,
    wide: false,
    title: (messages) => failureOf(error, page?.failure, messages).title,
    main: (messages) =>
      errorView({
        messages,
        ...failureOf(error, page?.failure, messages),
        incident: isNowhere(error, page) ? undefined : request.id,
        reach: reachOperators(messages, reply.server.config),
        link: linkOf(error, page, messages),
        forDevelopers: page?.options.forDevelopers ? error.description : undefined,
      }),
  });
}

/** There is nothing at the address, or no longer: nothing went wrong that anybody could look up. */
const isNowhere = (error: OAuthError, page: PageFault | undefined): boolean =>
  error.status === 404 || page?.failure === 'deadLink' || page?.failure === 'resetOver';

function linkOf(
  error: OAuthError,
  page: PageFault | undefined,
  { account, failures, signOut }: Messages,
): ErrorView['link'] {
  if (page?.failure === 'resetOver') return { href: '/account/security', text: account.parts.security };
  if (isNowhere(error, page)) return { href: '/', text: failures.home };
  if (page === undefined) return undefined;
  if (page.failure === 'invalidLogout') return { href: '/signout', text: signOut.action };
  const { startAgain, startedBy } = page.options;
  if (startAgain !== undefined) return { href: startAgain, text: failures.startAgain };
  if (!startedBy?.homePage) return undefined;
  return { href: startedBy.homePage, text: failures.toApplication(startedBy.name), leaves: true };
}

function allowedMethods({ paths }: FastifyInstance, path: string): string[] {
  const found = paths.get(path) ?? [...paths].find(([pattern]) => matches(pattern, path))?.[1];
  return found === undefined || found.hidden ? [] : [...found.methods];
}

const matches = (pattern: string, path: string): boolean =>
  pattern.includes('/:') && new RegExp(`^${pattern.replace(/\/:[^/]+/g, '/[^/]+')}$`).test(path);

type ErrorView = Failure & {
  messages: Messages;
  incident?: string | undefined;
  /** Where to reach the operators, whom the code tells what happened. */
  reach?: Html | undefined;
  /** What was wrong, as machines are told it. */
  forDevelopers?: string | undefined;
  /** Only ever an address of this service, or one taken from a registered application. */
  link?: { href: string; text: string; leaves?: boolean } | undefined;
};

function errorView(view: ErrorView): Html {
  const { messages, title, text, incident, reach, link, forDevelopers } = view;
  return html`<div class="stopped">
<h1>${title}</h1>
<p class="lead">${text}</p>
${link && html`<p class="actions">${buttonLink(link)}</p>`}
${
  forDevelopers &&
  html`<details class="apart"><summary>${messages.failures.forDevelopers}</summary>
<p lang="en">${forDevelopers}</p>
</details>`
}
${
  incident &&
  html`<div class="incident">
<p class="incident-label">${messages.failures.incident}</p>
<p class="incident-code"><code>${incident}</code></p>
<p class="quiet">${messages.failures.incidentAdvice}</p>
${reach}</div>`
}
</div>`;
}
