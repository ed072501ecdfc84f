// Form errors and the summary that links to the invalid fields.
import { deferred, type Html, html } from './html.ts';

/** `field` is an element id. Without `field`, the error concerns the whole form. */
export type FormError = {
  field?: string | undefined;
  text: string;
  link?: { href: string; text: string };
};

/** Returns the invalid field if there is only one. The page then focuses this field instead of a summary. */
export function onlyInvalidField(errors: readonly FormError[]): string | undefined {
  const field = errors[0]?.field;
  return errors.every((error) => error.field === field) ? field : undefined;
}

/** Field labels for the summary's links. The summary is rendered last because the fields set these labels. */
const errorLabels = new WeakMap<FormError, string>();

export const labelError = (error: FormError, label: string): void => {
  errorLabels.set(error, label);
};

/**
 * Returns undefined if there are no errors or only one invalid field.
 * @param title returns the heading for the number of listed items
 */
export function errorSummary(summary: {
  title: (count: number) => string;
  errors: readonly FormError[];
}): Html | undefined {
  const { title, errors } = summary;
  if (errors.length === 0 || onlyInvalidField(errors) !== undefined) return undefined;
  return html`<div class="error-summary" id="errors" role="alert" tabindex="-1" autofocus aria-labelledby="errors-title">
${deferred(() => {
  const items = errors.filter((error, index) => !isListed(error, errors.slice(0, index)));
  return html`<h2 class="error-summary-title" id="errors-title">${title(items.length)}</h2>
<ul>
${items.map(errorItem)}</ul>`;
})}
</div>`;
}

const isListed = (error: FormError, earlier: readonly FormError[]): boolean =>
  errorLabels.has(error) && earlier.some(({ field }) => field === error.field);

function errorItem(error: FormError): Html {
  const { field, text } = error;
  const label = errorLabels.get(error);
  return label === undefined
    ? html`<li>${field ? html`<a href="#${field}">${text}</a>` : text}${errorLink(error)}</li>
`
    : html`<li><a href="#${field}">${label}</a></li>
`;
}

export const errorLink = ({ link }: FormError): Html | undefined =>
  link &&
  html` <a href="${link.href}"${!link.href.startsWith('/') && html` rel="noopener noreferrer"`}>${link.text}</a>`;
