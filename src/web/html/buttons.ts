// Submit buttons, and links that look like buttons.
import { type Html, html } from './html.ts';

export type Button = {
  text: Html | string;
  /** `link` is a button that looks like a link. */
  kind?: 'primary' | 'secondary' | 'danger' | 'link' | undefined;
  name?: string | undefined;
  value?: string | undefined;
  /** public/decision.js disables the button for half a second. */
  isDelayed?: boolean | undefined;
  /** Only for screen readers. */
  hiddenText?: string | undefined;
  /** The id of the form if the button is outside it. */
  form?: string | undefined;
};

export function submitButton({
  text,
  kind = 'primary',
  name,
  value,
  isDelayed,
  hiddenText,
  form,
}: Button): Html {
  const nameAndValue = name && html` name="${name}" value="${value}"`;
  const hiddenSpan = hiddenText && html`<span class="visually-hidden"> ${hiddenText}</span>`;
  return html`<button class="button button--${kind}" type="submit"${form && html` form="${form}"`}${nameAndValue}${isDelayed && html` data-deliberate`}><span>${text}${hiddenSpan}</span></button>`;
}

export function buttonLink(link: {
  text: string;
  href: string;
  kind?: Button['kind'];
  isExternal?: boolean | undefined;
}): Html {
  return html`<a class="button button--${link.kind ?? 'primary'}" href="${link.href}"${link.isExternal && html` rel="noopener noreferrer"`}><span>${link.text}</span></a>`;
}
