// Owns the look of the connection tester: the address to test, and each step with what was expected, seen, and is to be done.

import { STEPS, type Step, type TestReport } from '../../../agents/connection-test.ts';
import { testerAddress } from '../../../oauth/connection-tester.ts';
import { metadataAddressOf } from '../../../oauth/protected-resource.ts';
import type { WatchedApi } from '../../../store/own-apis.ts';
import { prose } from '../../../web/html/code.ts';
import {
  attention,
  type FormState,
  form,
  formStatus,
  hiddenInput,
  notice,
  submitButton,
  textField,
} from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { tag } from '../../../web/html/tag.ts';
import { apiAddress, way } from '../frame-view.ts';

export type ConnectionTestView = FormState & {
  api: WatchedApi;
  address: string;
  issuer: string;
  /** Whether an agent that nobody registered gets in at all. */
  letsAgentsIn: boolean;
  report: TestReport | undefined;
  /** The report as its address has it. */
  sealed: string | undefined;
};

export function connectionTestView(view: ConnectionTestView): Html {
  const { messages, api, report } = view;
  const text = messages.apiTest;
  return html`${api.own ? way(messages, api, 'test') : attention(messages.apiAccess.diagnostics.operatorNotice)}
${formStatus(view)}
<h1>${text.title(api.name)}</h1>
<p class="lead">${text.lead}</p>
${report && result(report, view)}
${form({
  action: apiAddress(api.apiId, 'test'),
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
${submitButton({ text: report === undefined ? text.action : text.again, kind: report === undefined ? 'primary' : 'secondary' })}`,
})}`;
}

function result(report: TestReport, view: ConnectionTestView): Html {
  const { messages, sealed, api, csrf } = view;
  const text = messages.apiTest;
  const steps = html`<ol class="checks">
${STEPS.map((step) => stepOf(step, report, view))}</ol>`;
  const isGreen = report.at === undefined && view.letsAgentsIn;
  return html`<h2>${text.result}</h2>
${report.at === undefined ? (isGreen ? notice(text.done) : attention(text.doneWithoutAgents)) : report.fault && attention(text.failedAt(text.steps[report.at]))}
${
  isGreen
    ? html`<details class="apart">
<summary>${text.allSteps(STEPS.length)}</summary>
${steps}
</details>`
    : steps
}
${
  report.at === 'authorization' &&
  report.fault === undefined &&
  form({
    action: apiAddress(api.apiId, 'test'),
    csrf,
    body: html`<p>${text.goOn}</p>
${hiddenInput('report', sealed)}
${submitButton({ text: text.authorize })}`,
  })
}`;
}

/** What a step is to bring, as it stands on the wire. */
const WANTED: Record<Step, (facts: { identifier: string; issuer: string; scopes: string[] }) => string> = {
  reach: () => 'HTTP 401',
  challenge: ({ identifier }) =>
    `WWW-Authenticate: Bearer resource_metadata="${metadataAddressOf(identifier)}"`,
  document: () => 'HTTP 200, {…}',
  resource: ({ identifier }) => `"resource": "${identifier}"`,
  server: ({ issuer }) => `"authorization_servers": ["${issuer}"]`,
  identity: ({ issuer }) => testerAddress(issuer),
  scopes: () => '',
  authorization: () => '',
  token: ({ identifier, scopes }) => `aud ${identifier}, scope ${scopes.join(' ')}`,
  call: () => '{"jsonrpc": "2.0", …}',
};

function stepOf(
  step: Step,
  { at, fault, scopes }: TestReport,
  { messages, api, issuer }: ConnectionTestView,
): Html {
  const text = messages.apiTest;
  const [here, place] = [STEPS.indexOf(step), at === undefined ? STEPS.length : STEPS.indexOf(at)];
  const wrong = here === place ? fault : undefined;
  const state = wrong
    ? tag(text.states.failed, 'stopped')
    : here < place
      ? tag(text.states.passed, 'good')
      : tag(text.states.ahead);
  const wanted = WANTED[step]({ ...api, issuer, scopes });
  return html`<li class="check" id="step-${step}">
<h3 class="check-title">${text.steps[step]} ${state}</h3>
${
  wrong &&
  html`<dl class="facts">
${wanted !== '' && html`<div><dt>${text.expected}</dt><dd><code>${wanted}</code></dd></div>`}
${wrong.seen !== '' && html`<div><dt>${text.seen}</dt><dd><code>${wrong.seen}</code></dd></div>`}
<div><dt>${text.remedy}</dt><dd>${prose(text.remedies[wrong.kind])}</dd></div>
</dl>`
}
</li>
`;
}
