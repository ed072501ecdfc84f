// Owns code on pages: in the middle of a sentence, in a block with its name, a value among facts, and the button that copies
// a text for those whose browser runs our public/copy.js.
import { type CodeLanguage, highlighted } from './highlight.ts';
import { type Html, html, type Renderable } from './html.ts';

type CopyWords = { copy: string; copied: string };

/**
 * Lines too long for the screen are scrolled, by keyboard too; a text of one line alone goes on in the next.
 * @param block its `id` is that of the text itself, unique on the page; without the script it is selected by hand
 */
export function codeBlock(block: {
  id: string;
  name: string;
  text: string;
  language: CodeLanguage;
  words: CopyWords;
  once?: boolean;
}): Html {
  const { id, name, text, language, words, once } = block;
  return html`<figure class="code">
<figcaption class="code-head"><span id="${id}-name">${name}</span>${copyButton({ target: id, words, unseen: name })}</figcaption>
<pre${!text.includes('\n') && html` class="one-line"`} tabindex="0" role="group" aria-labelledby="${id}-name"><code id="${id}"${once && html` data-once`}>${highlighted(text, language)}</code></pre>
</figure>`;
}

/** A value that code needs as it is, in a list of facts, with the button that copies it. */
export function copiedFact(fact: {
  label: string;
  id: string;
  text: string;
  words: CopyWords;
  once?: boolean;
}): Html {
  const { label, id, text, words, once } = fact;
  return html`<div><dt>${label}</dt><dd class="copied"><code class="whole" id="${id}"${once && html` data-once`}>${text}</code> ${copyButton({ target: id, words, unseen: label })}</dd></div>
`;
}

/** Copies the text of the element with the id `target`; hidden until the script is there. `unseen` says which text. */
export function copyButton(button: { target: string; words: CopyWords; unseen: string }): Html {
  const { target, words, unseen } = button;
  return html`<button class="button button--quiet" type="button" data-copy="#${target}" data-copied="${words.copied}" hidden><span><span data-label aria-live="polite">${words.copy}</span><span class="unseen"> ${unseen}</span></span></button>`;
}

/** A text of the dictionaries in which `backticks` mark words of code. Not for texts with values of somebody else. */
export const prose = (text: string): Renderable =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
