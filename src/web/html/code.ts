// Code blocks, inline code, copyable values, and the copy button (public/copy.js).
import { breakable } from './breakable.ts';
import { type CodeLanguage, highlight } from './highlight.ts';
import { type Html, html, type Renderable } from './html.ts';

type CopyLabels = { copy: string; copied: string };
type CodeLabels = CopyLabels & { showAll: (lines: number) => string; showLess: string };

const VISIBLE_LINES = 12;
/** Code is collapsed only if more lines than this would be hidden. */
const MIN_COLLAPSED_LINES = 6;

/**
 * A single line wraps. Several lines scroll. The copy button also copies collapsed lines.
 * @param block.id of the code element, unique on the page
 * @param block.once whether the code contains a secret that is shown only once
 * @param block.visibleLines the lines that stay visible when the code is collapsed
 * @param block.isStep whether the code is a step in `codeSteps`
 */
export function codeBlock(block: {
  id: string;
  name: string;
  text: string;
  language: CodeLanguage;
  labels: CodeLabels;
  once?: boolean;
  visibleLines?: number;
  isStep?: boolean;
}): Html {
  const { id, name, text, language, labels, once, isStep } = block;
  const { first, rest, lines } = collapse(text, block.visibleLines ?? VISIBLE_LINES);
  const code = html`${highlight(first, language)}${rest !== '' && html`<span class="code-rest">${highlight(rest, language)}</span>`}`;
  return html`<figure class="code">
<figcaption class="code-head">${isStep ? html`<h3 id="${id}-name">${name}</h3>` : html`<span id="${id}-name">${name}</span>`}${copyButton({ target: id, labels, hiddenText: name })}</figcaption>
<pre${!text.includes('\n') && html` class="one-line"`} tabindex="0" role="group" aria-labelledby="${id}-name"><code id="${id}"${once && html` data-once`}>${code}</code></pre>
${rest !== '' && html`<details class="code-more"><summary><span class="code-less">${labels.showLess}</span><span>${labels.showAll(lines)}</span><span class="visually-hidden"> ${name}</span></summary></details>`}</figure>`;
}

export const codeSteps = (steps: readonly Renderable[]): Html => html`<ol class="steps">
${steps.filter(Boolean).map(
  (step) => html`<li class="step">${step}</li>
`,
)}</ol>`;

function collapse(text: string, visible: number): { first: string; rest: string; lines: number } {
  const lines = text.split('\n');
  if (lines.length <= visible + MIN_COLLAPSED_LINES) return { first: text, rest: '', lines: lines.length };
  const first = lines.slice(0, visible).join('\n').trimEnd();
  return { first, rest: text.slice(first.length), lines: lines.length };
}

export function copyableRow(row: {
  label: string;
  id: string;
  text: string;
  labels: CopyLabels;
  once?: boolean;
}): Html {
  const { label, id, text, labels, once } = row;
  return html`<div><dt>${label}</dt><dd class="copyable"><code class="whole" id="${id}"${once && html` data-once`}>${breakable(text)}</code> ${copyButton({ target: id, labels, hiddenText: label, kind: once ? 'secondary' : 'quiet' })}</dd></div>
`;
}

interface CopyButton {
  target: string;
  labels: CopyLabels;
  hiddenText: string;
  kind?: 'secondary' | 'quiet';
}

function copyButton(button: CopyButton): Html {
  const { target, labels, hiddenText, kind = 'quiet' } = button;
  return html`<button class="button button--${kind}" type="button" data-copy="#${target}" data-copied="${labels.copied}" hidden><span><span data-label aria-live="polite">${labels.copy}</span><span class="visually-hidden"> ${hiddenText}</span></span></button>`;
}

/** Renders text between backticks as code. Must not be used for user input. */
export const markInlineCode = (text: string): Renderable =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
