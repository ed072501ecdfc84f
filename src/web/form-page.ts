// Pages with a form (post/redirect/get). GET renders the page. POST runs the action and redirects.
// If the form is rejected, POST redirects back to the page, with the errors and values in a flash cookie.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Notification, notify, notifyInTransaction } from '../accounts/notifications.ts';
import { readForm, requireForm } from '../http/parameters.ts';
import { pathOf, UPLOAD } from '../http/route-config.ts';
import type { Services } from '../http/services.ts';
import { LOCALES, type Locale, type Messages, messagesFor } from '../i18n/index.ts';
import type { SecurityAlert } from '../mail/email.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { findTokenResult, runOnce } from '../store/used-tokens.ts';
import { requestContext } from './browser.ts';
import {
  createBrowserFormToken,
  hasBrowserFormToken,
  requireSameOrigin,
  singleUseFormToken,
} from './csrf.ts';
import { readFlash, writeFlash } from './flash.ts';
import {
  doneMessage,
  isRejection,
  localizeErrors,
  type Rejection,
  type ValidationError,
} from './form-errors.ts';
import type { FormError } from './html/error-summary.ts';
import type { FormState } from './html/form.ts';
import type { Html } from './html/html.ts';
import { PASSKEY_SCRIPTS, passkeySignal } from './html/passkey.ts';
import { reauthenticationLinks } from './identity-providers.ts';
import type { Page } from './page.ts';
import { findUnknownPasskey, passkeyReauthenticationOptions } from './passkeys.ts';
import { type Authentication, isRecentlyAuthenticated, reauthenticate } from './reauthentication.ts';
import { returnFields } from './return-to.ts';
import { signedInUser } from './session-guard.ts';

interface Submission<Subject, Fields> {
  request: FastifyRequest;
  reply: FastifyReply;
  subject: Subject;
  fields: Fields;
  /** Set if the form required re-authentication. */
  authentication?: Authentication;
}

interface Success {
  to: PageResponse;
  notice?: SecurityAlert | undefined;
  /** The client name or email address mentioned in the alert. */
  subject?: string;
}

/** A page with a form. POST calls the functions in this order. */
export interface FormPage<Subject, Fields> {
  path: string;
  /**
   * Loads the page's subject, such as a client.
   * @throws OAuthError `not_found`
   */
  loadSubject: (request: FastifyRequest, reply: FastifyReply) => Subject | Promise<Subject>;
  /** Responds if the form can't be used for the subject. */
  respondInstead?: (
    subject: Subject,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => MaybePromise<PageResponse | undefined>;
  /** Skips `respondInstead` while the page shows the errors of a rejected form. */
  showsErrorsFirst?: true;
  /** Parses the fields to show again after a rejection. Must not return passwords. */
  parse: (form: Parameters, subject: Subject, request: FastifyRequest) => Fields;
  initialFields?: (subject: Subject, request: FastifyRequest) => Fields;
  validate?: (submission: Submission<Subject, Fields>) => MaybePromise<readonly ValidationError[]>;
  /** The default asks the user to check the form and send it again. */
  expiredText?: (messages: Messages) => string;
  requiresReauthentication?: true | ((submission: Submission<Subject, Fields>) => boolean);
  /** `uploadedFile` returns the file (web/uploads.ts). */
  acceptsFile?: true;
  requiresVerifiedEmail?: true;
  /** `act` must return a URL, to which repeated submissions also redirect. Only for signed-in users. */
  deletesSubject?: true;
  /** Runs `act` and stores the notification in one transaction. */
  inTransaction?: true;
  /** @param database a transaction if `inTransaction` or `deletesSubject` is set */
  act: (submission: Submission<Subject, Fields>, database: Queryable) => Promise<Outcome>;
  doneMessages?: (messages: Messages) => Record<string, string>;
  /** Defaults to the request's path. */
  pageUrl?: (subject: Subject) => string;
  render: (
    submission: Submission<Subject, Fields>,
  ) => MaybePromise<Omit<Page, 'main' | 'status'> & { main: (state: FormState, locale: Locale) => Html }>;
}

interface RejectedForm<Fields> {
  status: number;
  errors: Record<Locale, FormError[]>;
  fields: Fields;
  /** The submitted passkey id if the account has no such passkey. */
  unknownPasskey?: string | undefined;
}

interface Flash<Fields> {
  refused?: RejectedForm<Fields>;
  /** A urlencoded form that was submitted after the session expired. */
  restored?: string;
}

const rejectedForm = <Fields>(
  fields: Fields,
  errors: readonly ValidationError[],
  status: number,
): RejectedForm<Fields> => ({
  status,
  errors: Object.fromEntries(
    LOCALES.map((locale) => [locale, localizeErrors(errors, messagesFor(locale))]),
  ) as RejectedForm<Fields>['errors'],
  fields,
});

type MaybePromise<T> = T | Promise<T>;

/** A URL to redirect to, or a function that sends a page without a URL. */
type PageResponse = string | (() => FastifyReply);

type Outcome = PageResponse | Success | Rejection;

const EMPTY_FORM = parseParameters('');

/** Implements `area.formPage` (web/page-decorators.ts). */
export function registerFormPage<Subject, Fields extends object>(
  area: FastifyInstance,
  services: Services,
  definition: FormPage<Subject, Fields>,
): void {
  const { path, acceptsFile, requiresVerifiedEmail, deletesSubject, inTransaction } = definition;
  const guardConfig = requiresVerifiedEmail && { requiresVerifiedEmail };
  const config = {
    ...guardConfig,
    ...(acceptsFile && UPLOAD),
    ...(deletesSubject && { deletes: deletesSubject }),
  };

  area.get(path, { config: { ...guardConfig } }, async (request, reply) => {
    const subject = await definition.loadSubject(request, reply);
    const flash = readFlash<Flash<Fields>>(reply, services) ?? {};
    const showsErrors = flash.refused !== undefined && definition.showsErrorsFirst;
    const otherResponse = showsErrors
      ? undefined
      : await definition.respondInstead?.(subject, request, reply);
    if (otherResponse !== undefined) return send(reply, otherResponse);
    const { refused, restored } = flash;
    const initial =
      restored === undefined
        ? (definition.initialFields?.(subject, request) ?? definition.parse(EMPTY_FORM, subject, request))
        : definition.parse(parseParameters(restored), subject, request);
    const fields = { ...initial, ...refused?.fields };
    return show({ request, reply, subject, fields }, refused, restored !== undefined);
  });

  area.post(path, { config }, async (request, reply): Promise<FastifyReply> => {
    const isSignedIn = request.user !== undefined;
    if (!isSignedIn) {
      await requireForm(request);
      requireSameOrigin(request);
    }
    let subject: Subject;
    try {
      subject = await definition.loadSubject(request, reply);
    } catch (error) {
      // An earlier submission of the form may have deleted the subject.
      const earlierResult =
        deletesSubject && (await findTokenResult(services.database, singleUseFormToken(request, services)));
      if (!earlierResult) throw error;
      return reply.redirect(earlierResult, 303);
    }
    const otherResponse = await definition.respondInstead?.(subject, request, reply);
    if (otherResponse !== undefined) return send(reply, otherResponse);
    const submission: Submission<Subject, Fields> = {
      request,
      reply,
      subject,
      fields: definition.parse(readForm(request), subject, request),
    };
    // Browsers without cookies would lose the flash cookie, so there is no redirect.
    if (!isSignedIn && !hasBrowserFormToken(request, services))
      return show(
        submission,
        rejectedForm(
          submission.fields,
          [{ text: definition.expiredText ?? (({ formErrors }) => formErrors.formExpired) }],
          403,
        ),
      );
    const accepted = await validateSubmission(submission);
    if (isRejection(accepted)) return redirectBack(submission, accepted);
    const outcome = await (deletesSubject || inTransaction
      ? actInTransaction(accepted)
      : definition.act(accepted, services.database));
    if (isRejection(outcome)) return redirectBack(accepted, outcome);
    return finish(reply, services, outcome);
  });

  /** Also redeems the form's token if `deletesSubject` is set. */
  const actInTransaction = async (
    submission: Submission<Subject, Fields>,
  ): Promise<PageResponse | Rejection> => {
    const outcome = await services.database.transaction(
      async (transaction): Promise<PageResponse | Rejection> => {
        const actAndNotify = async () => {
          const outcome = await definition.act(submission, transaction);
          if (isRejection(outcome)) return rollback(outcome);
          if (typeof outcome !== 'object') return outcome;
          const notice = toNotification(submission.request, outcome);
          if (notice !== undefined) await notifyInTransaction(services, transaction, notice, services.now());
          return outcome.to;
        };
        if (!deletesSubject) return actAndNotify();
        return (
          await runOnce(
            transaction,
            singleUseFormToken(submission.request, services),
            services.now(),
            actAndNotify,
          )
        ).result;
      },
    );
    services.mailer.wake();
    return outcome;
  };

  async function validateSubmission(
    submission: Submission<Subject, Fields>,
  ): Promise<Submission<Subject, Fields> | Rejection> {
    const errors = (await definition.validate?.(submission)) ?? [];
    if (errors.length > 0) return { errors };
    const needsReauthentication =
      typeof definition.requiresReauthentication === 'function'
        ? definition.requiresReauthentication(submission)
        : definition.requiresReauthentication;
    if (!needsReauthentication) return submission;
    const authentication = await reauthenticate(submission.request, services);
    return isRejection(authentication) ? authentication : { ...submission, authentication };
  }

  async function redirectBack(submission: Submission<Subject, Fields>, { status = 400, errors }: Rejection) {
    const { request, reply, subject, fields } = submission;
    const refused = {
      ...rejectedForm(fields, errors, status),
      unknownPasskey: await findUnknownPasskey(request, services),
    };
    const pageUrl = definition.pageUrl?.(subject) ?? pathOf(request);
    const isWritten = writeFlash(reply, services, pageUrl, { refused });
    return isWritten ? reply.redirect(pageUrl, 303) : show(submission, refused);
  }

  async function show(
    submission: Submission<Subject, Fields>,
    refused?: RejectedForm<Fields>,
    hasRestoredValues = false,
  ): Promise<FastifyReply> {
    const { request, reply } = submission;
    const user = request.user;
    const { main, ...page } = await definition.render(submission);
    const isRecent =
      user !== undefined &&
      (submission.authentication !== undefined || isRecentlyAuthenticated(user, services.now()));
    const passkey =
      user === undefined || isRecent || definition.requiresReauthentication === undefined
        ? undefined
        : await passkeyReauthenticationOptions(user, services);
    const pageUrl = definition.pageUrl?.(submission.subject) ?? pathOf(request);
    const providers =
      user === undefined || isRecent || definition.requiresReauthentication === undefined
        ? []
        : await reauthenticationLinks(user, services, pageUrl);
    // Keep the entered values until the user returns from the identity provider.
    if (refused !== undefined && providers.length > 0)
      writeFlash(reply, services, pageUrl, { refused: rejectedForm(refused.fields, [], 200) });
    const unknown = refused?.unknownPasskey;
    return reply.page({
      ...page,
      ...(unknown !== undefined && {
        passkeySignal: passkeySignal(services.config.passkeyRpId, { unknown }),
      }),
      ...(passkey !== undefined && {
        usesFetch: true,
        scripts: [...(page.scripts ?? []), ...PASSKEY_SCRIPTS],
      }),
      // The form is hidden until the user has re-authenticated at a provider, so scripts don't need fetch yet.
      ...(providers.length > 0 && { usesFetch: false }),
      status: refused?.status ?? 200,
      hasErrors: refused !== undefined && refused.status !== 200,
      main: (messages, locale) =>
        main(
          {
            messages,
            csrf: tokenOf(reply),
            isRecent,
            hasPassword: user?.hasPassword ?? true,
            username: user?.email,
            requiresTotp: user?.requiresTotp ?? false,
            hasPasskeys: (user?.passkeyMethods.length ?? 0) > 0,
            passkey,
            providers,
            errors: refused?.errors[locale] ?? [],
            hasRestoredValues,
            ...(page.returnTo && returnFields(page.returnTo)),
            notice: doneMessage(request, definition.doneMessages?.(messages) ?? {}),
            attention: user && doneMessage(request, messages.linkedAccounts.outcomes),
          },
          locale,
        ),
    });
  }

  const tokenOf = (reply: FastifyReply): string =>
    reply.request.user?.csrf ?? createBrowserFormToken(reply, services);
}

/** A form on another page, such as a single button. */
export interface EmbeddedForm {
  /** GET redirects to `page` because language links on error pages use this path. */
  path: string;
  page: string;
  act: (request: FastifyRequest) => Promise<Outcome>;
}

/** Implements `area.embeddedForm` (web/page-decorators.ts). */
export function registerEmbeddedForm(
  area: FastifyInstance,
  services: Services,
  { path, page, act }: EmbeddedForm,
): void {
  area.post(path, async (request, reply) => {
    const outcome = await act(request);
    if (!isRejection(outcome)) return finish(reply, services, outcome);
    const { status = 400, errors } = outcome;
    writeFlash(reply, services, page, { refused: rejectedForm({}, errors, status) });
    return reply.redirect(page, 303);
  });
  area.get(path, async (request, reply) =>
    reply.redirect(page + request.url.slice(pathOf(request).length), 303),
  );
}

async function finish(
  reply: FastifyReply,
  services: Services,
  outcome: PageResponse | Success,
): Promise<FastifyReply> {
  if (typeof outcome !== 'object') return send(reply, outcome);
  const notice = toNotification(reply.request, outcome);
  if (notice !== undefined) await notify(services, notice, services.now());
  return send(reply, outcome.to);
}

function toNotification(request: FastifyRequest, { notice, subject }: Success): Notification | undefined {
  if (notice === undefined) return undefined;
  const { userId: account, startedAt: since } = signedInUser(request);
  return { kind: notice, account, since, subject, ...requestContext(request) };
}

const send = (reply: FastifyReply, response: PageResponse): FastifyReply =>
  typeof response === 'string' ? reply.redirect(response, 303) : response();
