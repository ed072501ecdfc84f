// Forms and the message above them.
import { errorSummary } from './error-summary.ts';
import { hiddenInput } from './fields.ts';
import { type Html, html } from './html.ts';
import { attentionNotice, notice } from './notices.ts';
import type { ReauthenticationState } from './reauthentication-fields.ts';

/** The state that web/form-page.ts passes to a page's form. */
export type FormState = ReauthenticationState & {
  csrf: string;
  notice: string | undefined;
  /** The message about a sign-in through an identity provider that changed nothing. */
  attention?: string | undefined;
  /** Whether the session had expired when the form was submitted. If so, the form shows the restored values. */
  isUnsent?: boolean;
  /** The sealed authorization request that the login flow returns to. */
  pending?: string | undefined;
  /** The page of this service that the login flow returns to. */
  next?: string | undefined;
};

/** The message above a form: errors, success, or a notice that entered values were restored. */
export function formStatus({
  messages: { formErrors },
  errors,
  notice: successMessage,
  attention,
  isUnsent,
}: Pick<FormState, 'messages' | 'errors'> & Partial<Pick<FormState, 'notice' | 'attention' | 'isUnsent'>>):
  | Html
  | undefined {
  return (
    errorSummary({ title: formErrors.title, errors }) ??
    notice(successMessage) ??
    attentionNotice(isUnsent ? formErrors.kept : attention)
  );
}

/**
 * A POST form with a CSRF token. Browser validation is disabled (`novalidate`) because pages show errors in the page's
 * language.
 */
export function form(options: {
  action: string;
  csrf: string;
  pending?: string | undefined;
  upload?: boolean | undefined;
  /** Whether the response is a download. The browser then stays on the page. */
  download?: boolean | undefined;
  /** The form's id. Fields outside the form can belong to it with `form="…"`. */
  id?: string | undefined;
  body: Html;
}): Html {
  return html`<form class="form"${options.id && html` id="${options.id}"`} method="post" action="${options.action}"${options.upload && html` enctype="multipart/form-data"`}${options.download && html` data-download`} novalidate>
${hiddenInput('csrf', options.csrf)}
${hiddenInput('pending', options.pending)}
${options.body}
</form>`;
}

/** A form in the login flow, with the return target in hidden fields. */
export const loginForm = ({ csrf, pending, next }: FormState, action: string, body: Html): Html =>
  form({ action, csrf, pending, body: html`${hiddenInput('next', next)}${body}` });
