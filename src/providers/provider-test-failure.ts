// Explains why a step of a provider test failed. Each kind of failure has a remedy in src/i18n.
import {
  type OutgoingErrorKind,
  type PublicErrorKind,
  toPublicErrorKind,
} from '../outgoing/guarded-request.ts';
import type { ProviderStep } from './provider-error.ts';

/** The steps in the order in which they run. The last four require a user to sign in. */
export const TEST_STEPS = [
  'document',
  'issuer',
  'endpoints',
  'algorithms',
  'keys',
  'credentials',
  'response',
  'token',
  'id_token',
  'profile',
] as const;
export type TestStep = (typeof TEST_STEPS)[number];

export type TestFailureKind =
  | PublicErrorKind
  | 'notTls'
  | 'redirect'
  | 'not200'
  | 'notJson'
  | 'otherIssuer'
  | 'endpointMissing'
  | 'endpointInvalid'
  | 'noAlgorithm'
  | 'documentInvalid'
  | 'noKeys'
  | 'secretUnreadable'
  | 'clientRefused'
  | 'redirectUriRefused'
  | 'tokenUnexpected'
  | 'canceled'
  | 'responseRefused'
  | 'responseInvalid'
  | 'codeRefused'
  | 'clock'
  | 'tenantRefused'
  | 'idTokenInvalid'
  | 'profileInvalid';

export interface TestFailure {
  step: TestStep;
  kind: TestFailureKind;
  /** Text from the provider. Never contains a token, a code or a secret. */
  detail: string;
}

const MAX_DETAIL_LENGTH = 300;

export class TestStepError extends Error {
  readonly failure: TestFailure;
  constructor(step: TestStep, kind: TestFailureKind, detail = '') {
    super(`${step}: ${kind}`);
    this.failure = { step, kind, detail: toPrintable(detail) };
  }
}

const toPrintable = (text: string): string => {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line;
};

const OUTGOING_ERROR_KINDS: readonly OutgoingErrorKind[] = [
  'not-https',
  'not-public',
  'unknown-name',
  'refused',
  'timeout',
  'too-large',
  'encoded',
  'failed',
];

const CLIENT_ERROR_CODES = [
  'invalid_client',
  'unauthorized_client',
  'unauthorized',
  'incorrect_client_credentials',
];

export function explainError({ step, code }: { step: ProviderStep; code: string }): TestFailure {
  const outgoing = OUTGOING_ERROR_KINDS.find((kind) => kind === code);
  const status = /^status (\d{3})$/.exec(code)?.[1];
  const testStep = step === 'discovery' ? 'document' : step;
  if (outgoing !== undefined) return { step: testStep, kind: toPublicErrorKind(outgoing), detail: '' };
  if (code === 'not_tls') return { step: testStep, kind: 'notTls', detail: '' };
  if (status !== undefined)
    return {
      step: step === 'token' ? 'credentials' : testStep,
      kind: status.startsWith('3') ? 'redirect' : step === 'token' ? 'tokenUnexpected' : 'not200',
      detail: `HTTP ${status}`,
    };
  return { ...explainCode(step, code), detail: code };
}

function explainCode(step: ProviderStep, code: string): Pick<TestFailure, 'step' | 'kind'> {
  switch (step) {
    case 'discovery':
      return { step: 'document', kind: 'documentInvalid' };
    case 'keys':
      return { step, kind: code === 'not_json' ? 'notJson' : 'noKeys' };
    case 'response':
      if (code === 'access_denied' || code === 'user_cancelled_authorize') return { step, kind: 'canceled' };
      return { step, kind: code.startsWith('OAUTH_') ? 'responseInvalid' : 'responseRefused' };
    case 'token':
      if (code === 'secret_unreadable') return { step: 'credentials', kind: 'secretUnreadable' };
      if (CLIENT_ERROR_CODES.includes(code)) return { step: 'credentials', kind: 'clientRefused' };
      if (code.includes('redirect_uri')) return { step: 'credentials', kind: 'redirectUriRefused' };
      return code === 'invalid_grant'
        ? { step, kind: 'codeRefused' }
        : { step: 'credentials', kind: 'tokenUnexpected' };
    case 'id_token':
      if (code === 'tenant_not_allowed') return { step, kind: 'tenantRefused' };
      return { step, kind: code.includes('TIMESTAMP') ? 'clock' : 'idTokenInvalid' };
    case 'profile':
      return { step, kind: 'profileInvalid' };
  }
}
