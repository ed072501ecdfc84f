// Converts errors into responses: JSON for OAuth endpoints, HTML pages for browsers.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordRefusal } from '../http/diagnostics.ts';
import { errorMessageFor, PageError } from '../http/page-error.ts';
import { findContentTypeError, wrongContentTypeError } from '../http/parameters.ts';
import { isSafeMethod, readHeader } from '../http/request.ts';
import { pathOf } from '../http/route-config.ts';
import type { Services } from '../http/services.ts';
import type { ErrorPageText, Messages } from '../i18n/index.ts';
import {
  bodyTooLarge,
  invalidRequest,
  methodNotAllowed,
  notFound,
  OAuthError,
  serverError,
  temporarilyUnavailable,
} from '../oauth/errors.ts';
import { isForeignKeyViolation, isUnavailable } from '../store/database.ts';
import { supportNote } from './html/branding.ts';
import { type Button, buttonLink } from './html/buttons.ts';
import { type Html, html } from './html/html.ts';
import { acceptsHtml, sendPage } from './page.ts';

const JSON_ENDPOINTS = /^\/(oauth\/(?!(?:authorize|logout)(?:$|[/?]))|\.well-known\/|livez|readyz|metrics$)/;

type ErrorServices = Pick<Services, 'activity' | 'config' | 'diagnostics' | 'keys' | 'now'>;

export function registerErrorHandler(app: FastifyInstance, services: ErrorServices): void {
  app.setErrorHandler((error, request, reply) =>
    // Checked first because `asOAuthError` would mistake a disconnect for a lost database connection.
    respond(
      error === request.raw.errored
        ? invalidRequest('The request body is incomplete.', { kind: 'request_incomplete' })
        : error,
      request,
      reply,
      services,
    ),
  );
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(app, pathOf(request));
    return respond(
      allowed.length > 0 ? methodNotAllowed(allowed, request.method) : notFound(),
      request,
      reply,
      services,
    );
  });
}

function asOAuthError(error: unknown, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof PageError) return error.oauthError;
  if (isUnavailable(error) || isForeignKeyViolation(error)) return temporarilyUnavailable(error);
  const { statusCode } = error as FastifyError;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return serverError(error);
  if (statusCode === 413) return bodyTooLarge();
  if (statusCode === 415)
    return findContentTypeError(request) ?? wrongContentTypeError(readHeader(request, 'content-type'));
  return invalidRequest('The request is malformed.', { kind: 'request_unreadable' });
}

function respond(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  services: ErrorServices,
): FastifyReply {
  const error = asOAuthError(thrown, request);
  const page = thrown instanceof PageError ? thrown : undefined;
  request.oauthError = error;
  const asJson = JSON_ENDPOINTS.test(request.url) || !acceptsHtml(request);
  recordRefusal(request, error, services, !asJson && hasIncidentCode(error, page));
  // Load-shedding errors have no cause and are already in the request log.
  if (error.status === 500 || (error.status > 500 && error.cause !== undefined))
    request.log.error({ error: error.error, err: error.cause }, 'request failed');
  reply.code(error.status).headers(error.headers);
  return asJson ? sendError(error, reply) : sendErrorPage(error, page, request, reply, services);
}

/** Sends the error as JSON (RFC 6749 §5.2). */
function sendError(error: OAuthError, reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: error.error, error_description: error.description }));
}

function sendErrorPage(
  error: OAuthError,
  page: PageError | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  services: ErrorServices,
): FastifyReply {
  const retry = retryOf(error, request, services);
  const hasIncident = hasIncidentCode(error, page);
  return sendPage(reply, {
    status: error.status,
    isError: true,
    account: undefined,
    isWide: false,
    title: (messages) => errorMessageFor(error, page, messages).title,
    main: (messages) =>
      errorView({
        messages,
        ...errorMessageFor(error, page, messages),
        incident: hasIncident ? request.id : undefined,
        support:
          (hasIncident || page?.failure === 'signUpClosed') && supportNote(messages, reply.server.config),
        link: retry ?? chooseErrorPageLink(error, page, request, services, messages),
        staysSignedIn: page?.failure === 'invalidLogout',
        forDevelopers: page?.options.showDescription ? error.description : undefined,
      }),
  });
}

/** Users can resolve these errors by starting again. */
const FAILURES_WITHOUT_INCIDENT_CODE: ReadonlySet<PageError['failure']> = new Set([
  'applicationGone',
  'deadLink',
  'identityExpired',
  'providerSignInOver',
  'requestExpired',
  'resetOver',
  'secondFactorOver',
  'signUpClosed',
  'signUpLinkOver',
] as const);

const hasIncidentCode = (error: OAuthError, page: PageError | undefined): boolean =>
  error.status !== 404 && (page === undefined || !FAILURES_WITHOUT_INCIDENT_CODE.has(page.failure));

function chooseErrorPageLink(
  error: OAuthError,
  page: PageError | undefined,
  request: FastifyRequest,
  { config }: ErrorServices,
  { accounts, account, errorPages, signIn, signOut }: Messages,
): ErrorPageLink {
  const home = { href: '/', text: errorPages.home, kind: 'secondary' } as const;
  if (page?.failure === 'resetOver') return { href: '/account/security', text: account.navigation.security };
  if (page?.failure === 'invalidLogout') return { href: '/signout', text: signOut.action };
  if (page?.failure === 'httpsRequired')
    return {
      href: config.baseUrl + (toSameOriginPath(request.url, config.baseUrl) ?? ''),
      text: errorPages.secure,
    };
  const { restartUrl, client } = page?.options ?? {};
  if (page !== undefined && restartUrl !== undefined) return { href: restartUrl, text: restartText() };
  if (client?.homePage)
    return { href: client.homePage, text: errorPages.toApplication(client.name), isExternal: true };
  const isRepeatable =
    error.status >= 500 || page?.failure === 'formExpired' || page?.failure === 'uploadTooLarge';
  const again = isRepeatable ? findRetryPage(request, config.baseUrl) : undefined;
  if (again === undefined) return home;
  return { href: again.href, text: again.isForm ? errorPages.retry.form : errorPages.retry.page };

  function restartText(): string {
    if (page?.failure === 'accountSuspended') return accounts.another;
    if (restartUrl === '/account/email' || restartUrl === '/password/forgot') return errorPages.newEmail;
    if (page?.failure === 'signUpClosed') return signIn.action;
    const isProviderError = page?.failure === 'providerFailed' || page?.failure === 'providerDisabled';
    return isProviderError && restartUrl?.startsWith('/signin')
      ? errorPages.otherSignIn
      : errorPages.startAgain;
  }
}

/** Returns undefined if the error has no `Retry-After` header. */
function retryOf(
  { headers }: OAuthError,
  request: FastifyRequest,
  { config, now }: ErrorServices,
): Retry | undefined {
  const seconds = Number(headers['retry-after']);
  if (Number.isNaN(seconds)) return undefined;
  const again = findRetryPage(request, config.baseUrl);
  return again && { ...again, seconds, at: new Date(now().getTime() + seconds * 1000) };
}

/** For a rejected form, returns the page that contains it, or undefined if that page is on another site. */
function findRetryPage(
  request: FastifyRequest,
  baseUrl: string,
): { href: string; isForm: boolean } | undefined {
  const isForm = !isSafeMethod(request);
  const formUrl = () => request.headers.referer ?? (servesPage(request) ? pathOf(request) : undefined);
  const href = toSameOriginPath(isForm ? formUrl() : request.url, baseUrl);
  return href === undefined ? undefined : { href, isForm };
}

function toSameOriginPath(url: string | undefined, baseUrl: string): string | undefined {
  if (url === undefined || !URL.canParse(url, baseUrl)) return undefined;
  const { origin, pathname, search } = new URL(url, baseUrl);
  return origin === new URL(baseUrl).origin && !pathname.startsWith('//') ? pathname + search : undefined;
}

const servesPage = (request: FastifyRequest): boolean =>
  allowedMethods(request.server, pathOf(request)).includes('GET') && !JSON_ENDPOINTS.test(request.url);

function allowedMethods({ pathConfigs }: FastifyInstance, path: string): string[] {
  const config =
    pathConfigs.get(path) ?? [...pathConfigs].find(([pattern]) => matchesPattern(pattern, path))?.[1];
  return config === undefined || config.adminOnly ? [] : [...config.methods];
}

const matchesPattern = (pattern: string, path: string): boolean =>
  pattern.includes('/:') && new RegExp(`^${pattern.replace(/\/:[^/]+/g, '/[^/]+')}$`).test(path);

type ErrorPageLink = { href: string; text: string; kind?: Button['kind']; isExternal?: boolean };

type Retry = { href: string; isForm: boolean; seconds: number; at: Date };

type ErrorView = ErrorPageText & {
  messages: Messages;
  incident?: string | undefined;
  support?: Html | undefined | false;
  forDevelopers?: string | undefined;
  link: ErrorPageLink | Retry;
  staysSignedIn: boolean;
};

/**
 * public/retry.js disables the link during the wait. If a form was rejected, the link opens the form's page
 * without resubmitting the form.
 */
function retryLink({ href, isForm, seconds, at }: Retry, messages: Messages): Html {
  const { retry: text } = messages.errorPages;
  const [label, wait, after] = isForm
    ? [text.form, text.formIn, text.formAfter(at)]
    : [text.page, text.pageIn, text.pageAfter(at)];
  return html`<a class="button button--primary" href="${href}" data-retry-after="${seconds}" data-text="${label}" data-wait="${wait}"><span>${after}</span></a>`;
}

function errorView(view: ErrorView): Html {
  const { messages, title, text, incident, support, link, staysSignedIn, forDevelopers } = view;
  return html`<div class="door-closed">
<h1>${title}</h1>
<p class="lead">${text}</p>
<p class="actions">${'text' in link ? buttonLink(link) : retryLink(link, messages)}${staysSignedIn && buttonLink({ href: '/', text: messages.errorPages.staySignedIn, kind: 'secondary' })}</p>
${
  forDevelopers &&
  html`<details class="disclosure"><summary>${messages.errorPages.forDevelopers}</summary>
<p lang="en">${forDevelopers}</p>
</details>`
}
${
  incident
    ? html`<div class="incident">
<p class="incident-label">${messages.errorPages.incident}</p>
<p class="incident-code"><code>${incident}</code></p>
<p class="quiet">${messages.errorPages.incidentAdvice}</p>
${support}</div>`
    : support
}
</div>`;
}
