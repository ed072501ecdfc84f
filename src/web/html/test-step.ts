// One step in the test of an API connection or identity provider.
import { markInlineCode } from './code.ts';
import { type Html, html } from './html.ts';
import { tag } from './tag.ts';

interface StepTexts {
  states: { passed: string; failed: string; ahead: string; skipped: string };
  seen: string;
  remedy: string;
}

/**
 * @param isSkipped whether an earlier step failed
 * @param offset position relative to the step that failed or runs next
 * @param failure `detail` is the received value, shown after `rows`
 */
export function testStep(
  { id, title, offset, isSkipped }: { id: string; title: string; offset: number; isSkipped: boolean },
  failure: { rows?: Html | false; detail: string; remedy: string } | undefined,
  text: StepTexts,
): Html {
  const state = failure
    ? tag(text.states.failed, 'stopped', 'circle-x')
    : offset < 0
      ? tag(text.states.passed, 'good', 'circle-check')
      : isSkipped
        ? tag(text.states.skipped)
        : tag(text.states.ahead, undefined, 'clock');
  return html`<li class="test-step" id="step-${id}">
<h3>${title} ${state}</h3>
${
  failure &&
  html`<dl class="facts">
${failure.rows}${failure.detail !== '' && html`<div><dt>${text.seen}</dt><dd><code>${failure.detail}</code></dd></div>`}
<div><dt>${text.remedy}</dt><dd>${markInlineCode(failure.remedy)}</dd></div>
</dl>`
}
</li>
`;
}
