// Sending a page: layout, language, and the headers that every HTML answer has.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../html/html.ts';
import { layout } from '../html/layout.ts';
import { type Locale, type Messages, messagesFor } from '../i18n/index.ts';
import type { Parts } from '../parts.ts';
import { localeOf } from './browser.ts';
import { queryOf } from './parameters.ts';

/** Everything a page may do: show our own styles and pictures. No script, no frame, nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
const FORMS_STAY = [...POLICY, "form-action 'self'"].join('; ');
// The form of a page with a pending request ends at the application's callback, and wherever that leads:
// browsers hold form-action against every redirect on the way.
const FORMS_LEAVE = POLICY.join('; ');

export interface Page {
  status?: number;
  title: (messages: Messages) => string;
  main: (messages: Messages, locale: Locale) => Html;
  account?: { name: string; email: string } | undefined;
  hasErrors?: boolean;
  /** The authorization request that the page belongs to: its wish for a language, and its sealed form for links. */
  pending?: { sealed: string; uiLocales: string | undefined } | undefined;
}

/** Sends a page as the answer to a request. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Pick<Parts, 'config'>,
  page: Page,
): FastifyReply {
  const locale = localeOf(
    request,
    reply,
    parts,
    page.pending?.uiLocales ?? queryOf(request).get('ui_locales'),
  );
  const messages = messagesFor(locale);
  const document = layout({
    locale,
    messages,
    title: page.title(messages),
    serviceName: parts.config.serviceName,
    main: page.main(messages, locale),
    languageLinks: { fr: languageLink(request, page, 'fr'), en: languageLink(request, page, 'en') },
    account: page.account,
    hasErrors: page.hasErrors ?? false,
  });
  return reply
    .code(page.status ?? 200)
    .header('content-security-policy', page.pending === undefined ? FORMS_STAY : FORMS_LEAVE)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .header('x-frame-options', 'DENY')
    .header('vary', 'accept, accept-language, cookie')
    .type('text/html; charset=utf-8')
    .send(document);
}

/** The address of the same page in another language; a page that answers a POST is left for its GET. */
function languageLink(request: FastifyRequest, page: Page, lang: Locale): string {
  const [path = '/', sent = ''] = request.url.split('?', 2);
  const query = new URLSearchParams(request.method === 'GET' ? sent : '');
  if (page.pending !== undefined) query.set('pending', page.pending.sealed);
  query.set('lang', lang);
  return `${path.startsWith('//') ? '/' : path}?${query}`;
}

/** Whether the answer is for a person: only a browser names text/html (D1). */
export const wantsPage = (request: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(request.headers.accept ?? '');
