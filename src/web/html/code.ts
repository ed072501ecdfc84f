// Code blocks, inline code, copyable values, and the copy button (public/copy.js).
import { type CodeLanguage, highlight } from './highlight.ts';
import { type Html, html, type Renderable } from './html.ts';

type CopyLabels = { copy: string; copied: string };

/**
 * A code block. A single line of code wraps. Multiple lines scroll horizontally.
 * @param block.id the id of the code element, unique on the page
 * @param block.once whether the code contains a secret that is shown only once
 */
export function codeBlock(block: {
  id: string;
  name: string;
  text: string;
  language: CodeLanguage;
  labels: CopyLabels;
  once?: boolean;
}): Html {
  const { id, name, text, language, labels, once } = block;
  return html`<figure class="code">
<figcaption class="code-head"><span id="${id}-name">${name}</span>${copyButton({ target: id, labels, hiddenText: name })}</figcaption>
<pre${!text.includes('\n') && html` class="one-line"`} tabindex="0" role="group" aria-labelledby="${id}-name"><code id="${id}"${once && html` data-once`}>${highlight(text, language)}</code></pre>
</figure>`;
}

export function copyableFact(fact: {
  label: string;
  id: string;
  text: string;
  labels: CopyLabels;
  once?: boolean;
}): Html {
  const { label, id, text, labels, once } = fact;
  return html`<div><dt>${label}</dt><dd class="copyable"><code class="whole" id="${id}"${once && html` data-once`}>${text}</code> ${copyButton({ target: id, labels, hiddenText: label })}</dd></div>
`;
}

interface CopyButton {
  /** The id of the element whose text is copied. */
  target: string;
  labels: CopyLabels;
  /** Describes the copied value to screen readers. */
  hiddenText: string;
}

/** A copy button, which stays hidden if scripts are disabled. */
export function copyButton(button: CopyButton): Html {
  const { target, labels, hiddenText } = button;
  return html`<button class="button button--quiet" type="button" data-copy="#${target}" data-copied="${labels.copied}" hidden><span><span data-label aria-live="polite">${labels.copy}</span><span class="visually-hidden"> ${hiddenText}</span></span></button>`;
}

/** Renders the parts of a dictionary text that are between backticks as code. Must not be used for text with user input. */
export const markInlineCode = (text: string): Renderable =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
