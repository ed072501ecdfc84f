// …/providers/:providerId/test: tests an identity provider and shows the profile it returns.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mayTestProvider } from '../../accounts/rate-limits.ts';
import { withoutSlot } from '../../http/overload.ts';
import { readQuery } from '../../http/parameters.ts';
import type { Services } from '../../http/services.ts';
import { PROVIDER_STEPS } from '../../providers/provider-error.ts';
import { explainError, type TestFailure } from '../../providers/provider-test-failure.ts';
import { openIdentity } from '../../web/external-identity.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { PROVIDERS_URL, providerUrl } from './layout.ts';
import { loadProvider } from './provider-detail.ts';
import { providerTestView, type TestResult } from './provider-test-view.ts';

const REPORT_TTL = 30 * 60_000;
const SEAL_PURPOSE = 'provider-test report';

/** The result of the checks before the sign-in, sealed in the URL. */
interface SealedReport {
  userId: string;
  providerId: string;
  until: number;
  failure?: TestFailure | undefined;
}

export function providerTestPage(area: FastifyInstance, services: Services): void {
  const { sealer } = services;
  area.formPage({
    path: `${PROVIDERS_URL}/:providerId/test`,
    loadSubject: (request) => loadProvider(request, services),
    parse: () => ({}),
    async act({ request, subject: provider }) {
      const { userId } = signedInUser(request);
      const { providerId, redirectUri } = provider;
      const now = services.now();
      if (!(await mayTestProvider(services, userId, now)))
        return { status: 429, errors: [{ text: ({ identityProviders }) => identityProviders.test.tooMany }] };
      const failure = await withoutSlot(request, (slotProof) =>
        services.identityProviders.test(provider, redirectUri, slotProof),
      );
      const report: SealedReport = { userId, providerId, until: now.getTime() + REPORT_TTL, failure };
      return `${providerUrl(providerId, 'test')}?report=${sealer.sealJson(SEAL_PURPOSE, report)}`;
    },
    render: ({ request, subject: provider }) => ({
      title: ({ identityProviders }) => identityProviders.test.title(provider.name),
      main: (state) =>
        providerTestView({ ...state, provider, result: readResult(request, provider.providerId) }),
    }),
  });

  /** The URL contains a sealed report or the outcome of the sign-in (pages/sign-in/provider.ts). */
  function readResult(request: FastifyRequest, providerId: string): TestResult {
    const query = readQuery(request);
    const sealed = query.get('report');
    if (sealed !== undefined) {
      const report = sealer.openJson<SealedReport>(SEAL_PURPOSE, sealed);
      const isValid =
        report?.userId === signedInUser(request).userId &&
        report.providerId === providerId &&
        report.until > services.now().getTime();
      return isValid ? { kind: 'checked', failure: report.failure } : { kind: 'expired' };
    }
    if (query.get('identity') !== undefined) {
      const opened = openIdentity(request, services, query.get('identity'));
      return opened?.profile.providerId === providerId
        ? { kind: 'signedIn', profile: opened.profile }
        : { kind: 'expired' };
    }
    const step = PROVIDER_STEPS.find((name) => name === query.get('step'));
    const code = query.get('code') ?? '';
    return step !== undefined && /^[\w. -]{1,100}$/.test(code)
      ? { kind: 'checked', failure: explainError({ step, code }) }
      : { kind: 'none' };
  }
}
