// Forms and the status message above them.
import { errorSummary } from './error-summary.ts';
import { hiddenInput } from './fields.ts';
import { type Html, html } from './html.ts';
import { attentionNotice, notice } from './notices.ts';
import type { ReauthenticationState } from './reauthentication-fields.ts';

/** The state that web/form-page.ts passes to a page's form. */
export type FormState = ReauthenticationState & {
  csrf: string;
  notice: string | undefined;
  /** A message that a sign-in through an identity provider had no effect. */
  attention?: string | undefined;
  /** Whether the form shows the values of a submission that failed because the session had expired. */
  hasRestoredValues?: boolean;
  /** The sealed authorization request to return to. */
  pending?: string | undefined;
  /** The page of this service to return to. */
  next?: string | undefined;
};

/** The message above a form: errors, a success message, or a notice that entered values were restored. */
export function formStatus({
  messages: { formErrors },
  errors,
  notice: successMessage,
  attention,
  hasRestoredValues,
}: Pick<FormState, 'messages' | 'errors'> &
  Partial<Pick<FormState, 'notice' | 'attention' | 'hasRestoredValues'>>): Html | undefined {
  return (
    errorSummary({ title: formErrors.title, errors }) ??
    notice(successMessage) ??
    attentionNotice(hasRestoredValues ? formErrors.kept : attention)
  );
}

/**
 * A POST form with a CSRF token. `novalidate` turns off browser validation because the service shows errors in the
 * page's language.
 */
export function form(options: {
  action: string;
  csrf: string;
  pending?: string | undefined;
  upload?: boolean | undefined;
  /** Whether the response is a download. The browser then stays on the page. */
  download?: boolean | undefined;
  /** The form's id, for fields outside the form that have `form="…"`. */
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
