// Forms and the status message above them.
import { errorSummary } from './error-summary.ts';
import { hiddenInput } from './fields.ts';
import { type Html, html } from './html.ts';
import { attentionNotice, notice } from './notices.ts';
import type { ReauthenticationState } from './reauthentication-fields.ts';

export type FormState = ReauthenticationState & {
  csrf: string;
  notice: string | undefined;
  /** A message that a sign-in through an identity provider had no effect. */
  attention?: string | undefined;
  /** Whether the values are from a form that was submitted after the session expired. */
  hasRestoredValues?: boolean;
  pending?: string | undefined;
  next?: string | undefined;
};

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

/** Uses `novalidate` because the service shows errors in the page's language. */
export function form(options: {
  action: string;
  csrf: string;
  pending?: string | undefined;
  upload?: boolean | undefined;
  /** True if the response is a download, during which the browser stays on the page. */
  download?: boolean | undefined;
  id?: string | undefined;
  body: Html;
}): Html {
  return html`<form class="form"${options.id && html` id="${options.id}"`} method="post" action="${options.action}"${options.upload && html` enctype="multipart/form-data"`}${options.download && html` data-download`} novalidate>
${hiddenInput('csrf', options.csrf)}
${hiddenInput('pending', options.pending)}
${options.body}
</form>`;
}

export const loginForm = ({ csrf, pending, next }: FormState, action: string, body: Html): Html =>
  form({ action, csrf, pending, body: html`${hiddenInput('next', next)}${body}` });
