// View of the connection tester: the tested URL, and each step with its expected and actual value.

import { STEPS, type Step, type TestReport } from '../../../agents/connection-test.ts';
import { buildTestClientId } from '../../../oauth/connection-test-client.ts';
import { buildMetadataUrl } from '../../../oauth/resource-metadata.ts';
import type { VisibleApi } from '../../../store/owned-apis.ts';
import { submitButton } from '../../../web/html/buttons.ts';
import { hiddenInput, textField } from '../../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { attentionNotice, notice } from '../../../web/html/notices.ts';
import { testStep } from '../../../web/html/test-step.ts';
import { apiUrl, consoleNavigation } from '../layout.ts';

export type ConnectionTestView = FormState & {
  api: VisibleApi;
  address: string;
  issuer: string;
  areAgentsEnabled: boolean;
  report: TestReport | undefined;
  sealed: string | undefined;
};

export function connectionTestView(view: ConnectionTestView): Html {
  const { messages, api, report } = view;
  const text = messages.apiTest;
  return html`${api.own ? consoleNavigation(messages, api, 'test') : attentionNotice(messages.apiAccess.diagnostics.adminNotice)}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${report && reportView(report, view)}
${form({
  action: apiUrl(api.apiId, 'test'),
  csrf: view.csrf,
  body: html`${textField({
    name: 'address',
    label: text.address,
    hint: text.addressHint,
    value: view.address,
    inputmode: 'url',
    autocomplete: 'off',
    errors: view.errors,
  })}
${submitButton({ text: report === undefined ? text.action : text.again, kind: report === undefined || report.error ? 'primary' : 'secondary' })}`,
})}`;
}

function reportView(report: TestReport, view: ConnectionTestView): Html {
  const { messages, sealed, api, csrf } = view;
  const text = messages.apiTest;
  const passedCount = report.nextStep === undefined ? STEPS.length : STEPS.indexOf(report.nextStep);
  const hasPassed = report.nextStep === undefined && view.areAgentsEnabled;
  const stepList = (from: number, to: number) =>
    from < to &&
    html`<ol class="test-steps" start="${from + 1}">
${STEPS.slice(from, to).map((step) => stepView(step, report, view))}</ol>`;
  return html`<h2>${text.result}</h2>
${report.nextStep === undefined ? (hasPassed ? notice(text.done) : attentionNotice(text.doneWithoutAgents)) : report.error && attentionNotice(text.failedAt(text.steps[report.nextStep]))}
${
  passedCount > 0 &&
  html`<details class="disclosure">
<summary>${text.passedSteps(passedCount)}</summary>
${stepList(0, passedCount)}
</details>`
}
${stepList(passedCount, STEPS.length)}
${
  report.nextStep === 'authorization' &&
  report.error === undefined &&
  form({
    action: apiUrl(api.apiId, 'test'),
    csrf,
    body: html`<p>${text.permissionNeeded}</p>
${hiddenInput('report', sealed)}
${submitButton({ text: text.authorize })}`,
  })
}`;
}

/** The expected values, as they appear in the HTTP message. */
const EXPECTED_VALUES: Record<
  Step,
  (expected: { identifier: string; issuer: string; scopes: string[] }) => string
> = {
  reach: () => 'HTTP 401',
  challenge: ({ identifier }) =>
    `WWW-Authenticate: Bearer resource_metadata="${buildMetadataUrl(identifier)}"`,
  document: () => 'HTTP 200, {…}',
  resource: ({ identifier }) => `"resource": "${identifier}"`,
  server: ({ issuer }) => `"authorization_servers": ["${issuer}"]`,
  identity: ({ issuer }) => buildTestClientId(issuer),
  scopes: () => '',
  authorization: () => '',
  token: ({ identifier, scopes }) => `aud ${identifier}, scope ${scopes.join(' ')}`,
  call: () => '{"jsonrpc": "2.0", …}',
};

function stepView(
  step: Step,
  { nextStep, error, scopes }: TestReport,
  { messages, api, issuer }: ConnectionTestView,
): Html {
  const text = messages.apiTest;
  const offset = STEPS.indexOf(step) - (nextStep === undefined ? STEPS.length : STEPS.indexOf(nextStep));
  const expected = EXPECTED_VALUES[step]({ ...api, issuer, scopes });
  const failure =
    offset === 0 && error
      ? {
          rows:
            expected !== '' &&
            html`<div><dt>${text.expected}</dt><dd><code>${expected}</code></dd></div>
`,
          detail: error.detail,
          remedy: text.remedies[error.kind],
        }
      : undefined;
  const isSkipped = error !== undefined;
  return testStep({ id: step, title: text.steps[step], offset, isSkipped }, failure, text);
}
