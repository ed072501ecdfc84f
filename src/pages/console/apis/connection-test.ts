// …/apis/:api_id/test: the connection tester, which keeps its state in sealed URLs.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { revokeConsent } from '../../../accounts/consent.ts';
import { mayFinishConnectionTest, mayStartConnectionTest } from '../../../accounts/rate-limits.ts';
import {
  callServer,
  checkTesterClient,
  discoverServer,
  StepError,
  selectScopes,
  type TestReport,
} from '../../../agents/connection-test.ts';
import { handleTokenRequest } from '../../../grants/index.ts';
import { withoutSlot } from '../../../http/overload.ts';
import { readQuery } from '../../../http/parameters.ts';
import { clientNetwork } from '../../../http/rate-limit.ts';
import { isHeadRequest } from '../../../http/request.ts';
import type { Services } from '../../../http/services.ts';
import { readCredentials } from '../../../oauth/client-authentication.ts';
import { areAgentsEnabled } from '../../../oauth/client-metadata.ts';
import { buildTestClientId, TEST_REDIRECT_PATH } from '../../../oauth/connection-test-client.ts';
import { notFound, OAuthError, rateLimited } from '../../../oauth/errors.ts';
import { parseParameters } from '../../../oauth/parameters.ts';
import { computeCodeChallenge } from '../../../oauth/pkce.ts';
import { randomSecret } from '../../../oauth/secrets.ts';
import { findApiForClient } from '../../../store/apis.ts';
import { findVisibleApi } from '../../../store/owned-apis.ts';
import { signedInUser } from '../../../web/session-guard.ts';
import { APIS_URL, apiUrl } from '../layout.ts';
import { apiIdOf } from '../sections.ts';
import { connectionTestView } from './connection-test-view.ts';

/** In milliseconds. */
const STATE_TTL = 30 * 60_000;
const MAX_URL_LENGTH = 500;
/** In seconds. The limit is 10 tests per hour. */
const RETRY_AFTER = 360;

/** Payload of a sealed report or `state` parameter. */
interface TestState {
  userId: string;
  apiId: string;
  until: number;
  report: TestReport;
  /** Seeds the PKCE verifier. Missing in reports. */
  nonce?: string;
}

export function connectionTestPages(area: FastifyInstance, services: Services): void {
  const { config, database, sealer } = services;
  const redirectUri = `${config.baseUrl}${TEST_REDIRECT_PATH}`;
  const clientId = buildTestClientId(config.baseUrl);

  area.formPage({
    path: `${APIS_URL}/:api_id/test`,
    loadSubject: (request) => requireVisibleApi(request, services),
    initialFields: ({ identifier }, request) => ({
      address: openReport(request)?.report.url ?? identifier,
      report: '',
    }),
    parse: (form, { identifier }) => ({
      address: form.get('address')?.trim() ?? identifier,
      report: form.get('report') ?? '',
    }),
    validate: ({ subject: { identifier }, fields: { address, report } }) =>
      report === '' && !hasOriginOf(address, identifier)
        ? [{ field: 'address', text: ({ apiTest }) => apiTest.otherOrigin }]
        : [],
    async act({ request, subject: { apiId, identifier }, fields: { address, report } }) {
      const { userId } = signedInUser(request);
      const state = report === '' ? undefined : openState('report', report, request);
      if (state?.apiId === apiId && state.report.nextStep === 'authorization')
        return authorizationUrl(state, identifier);
      if (!(await mayStartConnectionTest(services, userId, services.now())))
        return { status: 429, errors: [{ text: ({ apiTest }) => apiTest.tooMany }] };
      const newReport = await runSteps(
        { url: address, scopes: [], nextStep: 'authorization' },
        async (testReport) => {
          const discovered = await withoutSlot(request, async (slotProof) => {
            const resource = await discoverServer(services, address, identifier, slotProof);
            await checkTesterClient(services.metadataDocuments, clientId, clientNetwork(request), slotProof);
            return resource;
          });
          const api = await findApiForClient(database, apiId, clientId);
          if (api === undefined) throw notFound();
          testReport.scopes = selectScopes(api, discovered);
        },
      );
      return reportUrl({ userId, apiId, until: 0, report: newReport });
    },
    render({ request, subject: api, fields }) {
      const state = openReport(request);
      return {
        title: (messages) => messages.apiTest.title(api.name),
        main: (form) =>
          connectionTestView({
            ...form,
            api,
            address: fields.address,
            issuer: config.baseUrl,
            areAgentsEnabled: areAgentsEnabled(config),
            report: state?.apiId === api.apiId ? state.report : undefined,
            sealed: readQuery(request).get('report'),
          }),
      };
    },
  });

  function authorizationUrl({ userId, apiId, report }: TestState, resource: string): string {
    const nonce = randomSecret();
    const state: TestState = { userId, apiId, until: services.now().getTime() + STATE_TTL, report, nonce };
    const request = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
      ...(report.scopes.length > 0 && { scope: report.scopes.join(' ') }),
      resource,
      state: sealer.sealJson('connection-test state', state),
      code_challenge: computeCodeChallenge(deriveVerifier(userId, nonce)),
      code_challenge_method: 'S256',
    };
    return `/oauth/authorize?${new URLSearchParams(request)}`;
  }

  area.get(TEST_REDIRECT_PATH, async (request, reply) => {
    const response = readQuery(request);
    const state = openState('state', response.get('state'), request);
    if (state === undefined || state.nonce === undefined || isHeadRequest(request)) throw notFound();
    const { userId, apiId, nonce } = state;
    const api = await findVisibleApi(database, userId, apiId);
    if (api === undefined) throw notFound();
    const report = await runSteps(state.report, async (one) => {
      const { url } = one;
      if (response.get('error') !== undefined)
        throw toStepError(response.get('error'), response.get('error_description'));
      try {
        if (!(await mayFinishConnectionTest(services, userId, services.now())))
          throw rateLimited(RETRY_AFTER);
        const token = await exchangeCode(
          response.get('code') ?? '',
          deriveVerifier(userId, nonce),
          api.identifier,
        );
        await withoutSlot(request, (slotProof) => callServer(services, url, token, slotProof));
      } finally {
        await revokeConsent(database, { userId, clientId, ip: clientNetwork(request) }, services.now());
      }
      one.nextStep = undefined;
    });
    return reply.redirect(reportUrl({ userId, apiId, until: 0, report }), 303);
  });

  async function exchangeCode(code: string, verifier: string, resource: string): Promise<string> {
    const form = parseParameters(
      new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_id: clientId },
        ...{ code_verifier: verifier, resource },
      }).toString(),
    );
    try {
      const credentials = readCredentials(form, undefined);
      return (await handleTokenRequest(services, { form, credentials, now: services.now() })).access_token;
    } catch (error) {
      throw error instanceof OAuthError ? new StepError('token', 'noToken', error.message) : error;
    }
  }

  const deriveVerifier = (userId: string, nonce: string): string =>
    sealer.mac('connection-test', userId, nonce).toString('base64url');

  const reportUrl = (state: TestState): string => {
    const until = services.now().getTime() + STATE_TTL;
    const sealed = sealer.sealJson('connection-test report', { ...state, until });
    return `${apiUrl(state.apiId, 'test')}?report=${sealed}`;
  };

  const openReport = (request: FastifyRequest) =>
    openState('report', readQuery(request).get('report'), request);

  /** Undefined if the payload has expired or belongs to another user. */
  function openState(kind: 'report' | 'state', text: string | undefined, request: FastifyRequest) {
    const state = sealer.openJson<TestState>(`connection-test ${kind}`, text);
    const isValid = state?.userId === signedInUser(request).userId && state.until > services.now().getTime();
    return isValid ? state : undefined;
  }
}

async function runSteps(
  previous: TestReport,
  run: (report: TestReport) => Promise<void>,
): Promise<TestReport> {
  const report = { ...previous };
  try {
    await run(report);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    report.nextStep = error.step;
    report.error = { kind: error.kind, detail: error.detail };
  }
  return report;
}

const toStepError = (error = '', description = ''): StepError =>
  new StepError(
    'authorization',
    error === 'access_denied' ? 'denied' : 'notAllowed',
    `${error} ${description}`,
  );

/** The tester sends requests only to the API's origin. */
function hasOriginOf(url: string, identifier: string): boolean {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false;
  const { origin, username, password } = new URL(url);
  return origin === new URL(identifier).origin && username === '' && password === '';
}

/** @throws OAuthError `not_found` unless the user owns the API or is an administrator */
async function requireVisibleApi(request: FastifyRequest, { database }: Services) {
  const api = await findVisibleApi(database, signedInUser(request).userId, apiIdOf(request));
  if (api === undefined) throw notFound();
  return api;
}
